/** A row as it goes into a file for a program that counts holdings from rows. */
import type { EventRow } from '../event-row.js';
import type { Kind } from './kind.js';

/** An amount of one coin. */
export interface ImportCoin {
  /** Base units, above zero. */
  readonly units: bigint;
  readonly denom: string;
  readonly symbol: string;
  readonly decimals: number;
  /** Running number among the coins of the wallets that no registry knows, from 1; undefined for one that is known. */
  readonly unlisted: number | undefined;
}

export interface ImportRow {
  readonly row: EventRow;
  readonly kind: Kind;
  /** Coins that left; the fee where the kind is `fee`. */
  readonly sent: ImportCoin | undefined;
  readonly received: ImportCoin | undefined;
  /** Worth in USD with two decimals; empty where it is unknown. */
  readonly valueUsd: string;
}
