/** What the server knows of one published generation. */
import type { Reference } from '../pipeline/reference.js';
import type { Manifest, PricedEvent } from '../schemas/types.generated.js';

export interface Dataset {
  /** Id of the generation; names its content. */
  readonly generation: string;
  /** Last indexed block. */
  readonly height: number;
  /** Its time, RFC 3339 in UTC. */
  readonly time: string;
  /** First and last UTC day of the index. */
  readonly indexStart: string;
  readonly indexEnd: string;
  readonly manifest: Manifest;
  readonly reference: Reference;
  /** The default answer of /events for this one address as a gzip member; undefined for a wallet without rows. */
  storedEvents(address: string): Buffer | undefined;
  /** Number of rows of a wallet. */
  rows(address: string): number;
  /** A wallet's rows in order, segment by segment. */
  events(address: string): Generator<PricedEvent[]>;
  /** Published prices of a denom: UTC day → micro-USD for one displayed unit, days ascending. */
  prices(denom: string): ReadonlyMap<string, bigint>;
}
