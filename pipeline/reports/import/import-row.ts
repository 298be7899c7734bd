/** A row for tax programs that count holdings from rows. */
import type { EventRow } from '../event-row.js';
import type { Kind } from '../label.js';

export interface ImportCoin {
  /** Base units, above zero. */
  readonly units: bigint;
  readonly denom: string;
  readonly symbol: string;
  readonly decimals: number;
  /** Number of an unlisted denom, from 1. Undefined if the registry lists it. */
  readonly unlisted: number | undefined;
}

export interface ImportRow {
  readonly row: EventRow;
  readonly kind: Kind;
  /** The fee, if the kind is `fee`. */
  readonly sent: ImportCoin | undefined;
  readonly received: ImportCoin | undefined;
  /** USD with two decimals; '' if unknown. */
  readonly valueUsd: string;
}
