/**
 * Replays one month's rows of every wallet, without tags and decisions of users. Continues from the wallets' states at
 * the end of the previous month.
 */
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { ClosingPosition } from '../../../../schemas/types.generated.js';
import { readLines } from '../../../base/disk/lines.js';
import { Database } from '../../../base/duckdb/database.js';
import { type Month, writeTable } from '../../../base/duckdb/table-file.js';
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
  /** Folder of the previous month; absent for the first month. */
  readonly before?: string;
  /** File of opening holdings; only for the first month of a dataset with a starting state. */
  readonly opening?: string;
  /**
   * True if the dataset has a starting state. Otherwise it is unknown which coins a wallet held before the first block.
   */
  readonly hasOpening: boolean;
  /** True if a later month continues from the states at the end of this month. */
  readonly keepsStates: boolean;
}

const statesFile = (folder: string) => join(folder, 'states.jsonl');

export const replayMonth = (job: ReplayJob): Promise<void> =>
  writePiece(job.folder, (making) => replayInto(making, job));

async function replayInto(folder: string, job: ReplayJob): Promise<void> {
  const target = await Database.open(`${folder}-spill`, { threads: 1, memoryLimit: '300MB' });
  const lines = `${folder}-rows.txt`;
  try {
    await writeMonthLines(target, job.events, lines);
    const touched = await replayLines(lines, folder, job, target, loadReference().rules);
    await target.attach(
      'closing_positions',
      job.before ? [join(job.before, 'closing_positions/all.parquet')] : [],
      'earlier_positions',
    );
    await target.run('tables/closing_positions', { touched });
    noteTables(folder, [
      await writeTable(target, 'ledger_entries', folder, [job.month]),
      await writeTable(target, 'closing_positions', folder),
    ]);
  } finally {
    target.close();
    rmSync(lines, { force: true });
  }
}

/** Replays the wallets in the lines. @returns addresses of the wallets with rows or opening holdings in this month */
async function replayLines(
  lines: string,
  folder: string,
  { before, opening, hasOpening, keepsStates }: ReplayJob,
  target: Database,
  rules: Rules,
): Promise<string[]> {
  await target.create('ledger_entries');
  await target.create('closing_positions', 'changed_positions');
  const entries = await target.appender<Entry>('ledger_entries', 'ledger_entries', ENTRY_COLUMNS);
  const positions = await target.appender<ClosingPosition>('closing_positions', 'changed_positions');
  const states = new States(before && statesFile(before), keepsStates ? statesFile(folder) : undefined);
  const touched: string[] = [];
  let wallet: WalletState | undefined;
  try {
    for (const batch of walletBatches(merged(opening, lines))) {
      const { address, rows, last } = batch;
      wallet ??=
        states.take(address, rules) ??
        new WalletState({ ...USUAL, rules, address, opening: hasOpening ? parseOpening(batch.opening) : undefined });
      for (const entry of replayWallet(eventsOf(address, rows), noDecisions, wallet)) {
        entries.add(entry);
      }
      if (!last) continue;
      touched.push(address);
      for (const position of closingPositions(wallet)) positions.add(position);
      states.put(wallet);
      wallet = undefined;
    }
    states.finish();
  } finally {
    states.close();
  }
  entries.close();
  positions.close();
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

/**
 * Reads the wallets' states from the previous month, and writes their states at the end of this month. Both files are
 * sorted by address.
 */
class States {
  private readonly lines: Iterator<string>;
  private next: IteratorResult<string>;
  private readonly file: number | undefined;

  constructor(before: string | undefined, path: string | undefined) {
    this.lines = before === undefined ? [][Symbol.iterator]() : readLines(before);
    this.next = this.lines.next();
    this.file = path === undefined ? undefined : openSync(path, 'wx');
  }

  /** Returns the wallet's state; undefined if it has none. Copies the states of all wallets that come before it. */
  take(address: string, rules: Rules): WalletState | undefined {
    this.copyUntil(address);
    if (this.next.done || walletAddress(this.next.value) !== address) return undefined;
    const wallet = walletFromText(this.next.value, rules);
    this.next = this.lines.next();
    return wallet;
  }

  put(wallet: WalletState): void {
    if (this.file !== undefined) this.write(walletToText(wallet));
  }

  finish(): void {
    if (this.file !== undefined) this.copyUntil(undefined);
  }

  close(): void {
    if (this.file !== undefined) closeSync(this.file);
    this.lines.return?.();
  }

  private copyUntil(address: string | undefined): void {
    while (!this.next.done && (address === undefined || walletAddress(this.next.value) < address)) {
      if (this.file !== undefined) this.write(this.next.value);
      this.next = this.lines.next();
    }
  }

  private write(line: string): void {
    writeSync(this.file!, `${line}\n`);
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
