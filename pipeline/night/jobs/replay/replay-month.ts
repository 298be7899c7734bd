/**
 * Replays one month's rows of every wallet, without tags and decisions of users. Continues from the wallets' states at
 * the end of the previous month.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ClosingPosition, ClosingState } from '../../../../schemas/types.generated.js';
import { readLines } from '../../../base/disk/lines.js';
import { Database } from '../../../base/duckdb/database.js';
import { type Month, writeTable, writeTableFile } from '../../../base/duckdb/table-file.js';
import { noDecisions } from '../../../books/ledger/decisions.js';
import type { Entry } from '../../../books/ledger/entry.js';
import { replayWallet } from '../../../books/ledger/replay.js';
import type { Rules } from '../../../books/ledger/rules.js';
import { WalletState } from '../../../books/ledger/wallet.js';
import { walletAddress, walletFromText, walletToText } from '../../../books/ledger/wallet-text.js';
import { openLots } from '../../../books/reports/positions.js';
import { USUAL } from '../../../books/terms.js';
import { walletBatches, writeMonthLines } from '../../../publish/wallet-batches.js';
import { eventsOf, parseOpening } from '../../../publish/wallet-index/events-format.js';
import { loadReference } from '../../../reference.js';
import { noteTables, writePiece } from '../../pieces.js';
import { ENTRY_COLUMNS } from './entry-columns.js';

export interface ReplayJob {
  readonly folder: string;
  readonly month: Month;
  /** Files of this month's priced_events, sorted by address. */
  readonly events: readonly string[];
  /** What the months before have left; absent for the first month. */
  readonly before?: {
    /** The file of closing positions of the previous month. */
    readonly positions: string;
    /** Files of closing states. A wallet's state is in the last file that contains its address. */
    readonly states: readonly string[];
  };
  /** File of opening holdings; only for the first month of a dataset with a starting state. */
  readonly opening?: string;
  /**
   * True if the dataset has a starting state. Otherwise it is unknown which coins a wallet held before the first block.
   */
  readonly hasOpening: boolean;
  /** Which states of wallets at the end of this month are written: those of all wallets, or those that have changed. */
  readonly keeps: 'all' | 'changed' | 'none';
}

export const statesFile = (folder: string) => join(folder, 'states.parquet');
export const positionsFile = (folder: string) => join(folder, 'closing_positions/all.parquet');

export const replayMonth = (job: ReplayJob): Promise<void> =>
  writePiece(job.folder, (making) => replayInto(making, job));

async function replayInto(folder: string, job: ReplayJob): Promise<void> {
  const { before, events, month, keeps } = job;
  const target = await Database.open(`${folder}-spill`, { threads: 1, memoryLimit: '300MB' });
  const lines = `${folder}-rows.txt`;
  const states = `${folder}-states.txt`;
  try {
    await writeMonthLines(target, events, lines);
    await attachStates(target, before?.states ?? []);
    await target.run('tables/state_lines', { path: states });
    const touched = await replayLines({ lines, states }, job, target, loadReference().rules);
    await target.attach('closing_positions', before ? [before.positions] : [], 'earlier_positions');
    await target.run('tables/closing_positions', { touched });
    noteTables(folder, [
      await writeTable(target, 'ledger_entries', folder, [month]),
      await writeTable(target, 'closing_positions', folder),
    ]);
    if (keeps === 'changed') await target.keep('changed_states', statesFile(folder));
    if (keeps === 'all') {
      await target.run('tables/closing_states');
      await writeTableFile(target, 'closing_states', statesFile(folder));
    }
  } finally {
    target.close();
    for (const path of [lines, states]) rmSync(path, { force: true });
  }
}

/** Creates the view `earlier_states` with the last state of each wallet. */
async function attachStates(target: Database, files: readonly string[]): Promise<void> {
  await target.attach('closing_states', [], 'earlier_states');
  for (const [i, file] of files.entries()) {
    const [changed, unchanged] = [`changed_states_${i}`, `earlier_states_${i}`];
    await target.execute(`alter view earlier_states rename to ${unchanged}`);
    await target.attach('closing_states', [file], changed);
    await target.execute(
      `create view earlier_states as from ${changed} union all by name from ${unchanged} anti join ${changed} using (address)`,
    );
  }
}

/** Replays the wallets in the lines. @returns addresses of the wallets with rows or opening holdings in this month */
async function replayLines(
  files: { readonly lines: string; readonly states: string },
  { opening, hasOpening, keeps }: ReplayJob,
  target: Database,
  rules: Rules,
): Promise<string[]> {
  await target.create('ledger_entries');
  await target.create('closing_positions', 'changed_positions');
  await target.create('closing_states', 'changed_states');
  const entries = await target.appender<Entry>('ledger_entries', 'ledger_entries', ENTRY_COLUMNS);
  const positions = await target.appender<ClosingPosition>('closing_positions', 'changed_positions');
  const changed = await target.appender<ClosingState>('closing_states', 'changed_states');
  const states = new States(readLines(files.states));
  const touched: string[] = [];
  let wallet: WalletState | undefined;
  for (const batch of walletBatches(merged(opening, files.lines))) {
    const { address, rows, last } = batch;
    wallet ??=
      states.take(address, rules) ??
      new WalletState({ ...USUAL, rules, address, opening: hasOpening ? parseOpening(batch.opening) : undefined });
    for (const entry of replayWallet(eventsOf(address, rows), noDecisions, wallet)) entries.add(entry);
    if (!last) continue;
    touched.push(address);
    for (const position of closingPositions(wallet)) positions.add(position);
    if (keeps !== 'none') changed.add({ address, state: walletToText(wallet) });
    wallet = undefined;
  }
  states.expectEnd();
  for (const appender of [entries, positions, changed]) appender.close();
  return touched;
}

/** Merges two files whose lines begin with an address and a tab. Both files are sorted by address. */
function* merged(first: string | undefined, second: string): Generator<string> {
  const addressOf = (line: string) => line.slice(0, line.indexOf('\t'));
  const openings = first === undefined ? [][Symbol.iterator]() : readLines(first);
  let next = openings.next();
  for (const line of readLines(second)) {
    while (!next.done && addressOf(next.value) <= addressOf(line)) {
      yield next.value;
      next = openings.next();
    }
    yield line;
  }
  for (; !next.done; next = openings.next()) yield next.value;
}

/** Reads the states of wallets that have rows in this month. Both are sorted by address. */
class States {
  private next: IteratorResult<string>;

  constructor(private readonly lines: Iterator<string>) {
    this.next = lines.next();
  }

  /** Returns undefined if the wallet is new. */
  take(address: string, rules: Rules): WalletState | undefined {
    if (this.next.done || walletAddress(this.next.value) !== address) return undefined;
    const wallet = walletFromText(this.next.value, rules);
    this.next = this.lines.next();
    return wallet;
  }

  /** @throws Error if a wallet was replayed without its state */
  expectEnd(): void {
    if (!this.next.done) throw new Error(`the state of ${walletAddress(this.next.value)} was not taken`);
  }
}

/** Sums the lots that remain. Does not sum the journal, so that audits can compare both. */
function* closingPositions({ address, holdings }: WalletState): Generator<ClosingPosition> {
  for (const holding of holdings.values()) {
    const { quantity, opening, unknown, cost, lots } = openLots(holding);
    if (quantity === 0n && opening === 0n) continue;
    yield {
      address,
      denom: holding.denom,
      asset: holding.symbol,
      quantity,
      opening_quantity: opening,
      unknown_basis_quantity: unknown,
      cost_basis_usd: cost,
      lots,
    };
  }
}
