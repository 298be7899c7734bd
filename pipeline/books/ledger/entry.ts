import type { LedgerEntry } from '../../../schemas/types.generated.js';

/** Acquired day of coins from lots of several days. */
export const VARIOUS = 'VARIOUS';

/** A row whose amounts do not name their currency. */
type Neutral<Row> = { [Name in keyof Row as Name extends `${infer Amount}_usd` ? Amount : Name]: Row[Name] };

/**
 * A journal entry, with amounts in minor units of the books' currency. The published table leaves out the members that
 * the row in priced_events has.
 */
export interface Entry extends Neutral<LedgerEntry> {
  /** `<event id>-<leg>` */
  readonly entry_id: string;
  readonly tx_hash: string;
  readonly tx_memo: string;
  readonly counterparty: string | null;
  /** Day of `time` in the zone of the books. */
  readonly day: string;
}
