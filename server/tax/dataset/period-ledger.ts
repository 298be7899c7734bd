import { replayWallet, type WalletState } from '../../../pipeline/ledger/replay.js';
import type { AskedRange } from '../../../pipeline/reports/coverage.js';
import type { LedgerEntry, PricedEvent } from '../../../schemas/types.generated.js';
import type { Dataset } from './dataset.js';
import { openBooks, type Statements, walletEvents } from './wallet-ledger.js';

export interface PeriodLedger {
  /** Has the lots at the start of the period once `before` is consumed, and at its end once `within` is. */
  readonly wallet: WalletState;
  /** Must be consumed before `within`. */
  readonly before: Iterable<LedgerEntry>;
  readonly within: Iterable<LedgerEntry>;
}

/** @param note called for each row of the period before it is booked */
export function periodLedger(
  dataset: Dataset,
  address: string,
  statements: Statements,
  { from, to }: Pick<AskedRange, 'from' | 'to'>,
  note: (row: PricedEvent) => void,
): PeriodLedger {
  const { wallet, opening } = openBooks(dataset, address, statements);
  const rows = walletEvents(dataset, address);
  let next = rows.next();
  function* rowsWhile(belongs: (row: PricedEvent) => boolean) {
    for (; !next.done && belongs(next.value); next = rows.next()) yield next.value;
  }
  const replayed = (events: Iterable<PricedEvent>) =>
    replayWallet(events, statements.decisions, wallet, statements.ownTransfers);
  function* before() {
    yield* opening().filter(({ time }) => time < from);
    yield* replayed(rowsWhile((row) => row.time < from));
  }
  function* within() {
    yield* opening().filter(({ time }) => time >= from && time <= to);
    yield* replayed(noted(rowsWhile((row) => row.time <= to)));
  }
  function* noted(events: Iterable<PricedEvent>) {
    for (const event of events) {
      note(event);
      yield event;
    }
  }
  return { wallet, before: before(), within: within() };
}
