/**
 * Builds the wallet index of a generation from its Parquet files, so that a request finds a wallet's rows with one
 * lookup. A change of this module or its imports changes the index's key, so a server then rebuilds the index.
 */

import { mkdirSync } from 'node:fs';
import { setImmediate as nextRound } from 'node:timers/promises';
import { open, type RootDatabase } from 'lmdb';
import type {
  DailyBalance,
  DelegationInterval,
  FlaggedReceipt,
  KnownValidator,
  Manifest,
  Price,
  Restatement,
  UnbondingInterval,
  ValidatorDay,
  ValidatorPayout,
  ValidatorSlash,
} from '../../schemas/types.generated.js';
import { ConfigError } from '../base/config-error.js';
import { readLines } from '../base/disk/lines.js';
import { Database, readSql } from '../base/duckdb/database.js';
import type { ClosedDay, ClosedValidator } from '../holdings/day-holdings.js';
import { operatorAccount } from '../holdings/modules/validator.js';
import { onlyDenom } from '../holdings/values/decimal18.js';
import type { Reference } from '../reference.js';
import { attachOpeningHoldings } from './derived-tables.js';
import { readManifest, tableFiles } from './generation.js';
import { groupRows } from './group-rows.js';
import { type WalletBatch, walletBatches, writeEventLines } from './wallet-batches.js';
import {
  type Extent,
  eventsFormat,
  eventsOf,
  flaggedFormat,
  INDEX_OPTIONS,
  restatementsFormat,
  SEGMENT_ROWS,
  walletKey,
} from './wallet-index/events-format.js';
import {
  daysFormat,
  intervalsFormat,
  liquidFormat,
  unbondingFormat,
  validatorFormat,
} from './wallet-index/holdings-format.js';
import { makeReaders } from './wallet-index/open-index.js';
import { accruedFormat, payoutsFormat } from './wallet-index/payouts-format.js';

/**
 * Builds the index of a sealed generation.
 * @param eventLines path of a temporary file
 * @param wallets number of wallets to index; if absent, all wallets
 */
export async function buildFromGeneration(
  source: string,
  folder: string,
  eventLines: string,
  reference: Reference,
  wallets?: number,
): Promise<void> {
  const manifest = readManifest(source);
  const database = await Database.open(`${folder}-spill`);
  try {
    const events = tableFiles(source, manifest, 'priced_events');
    const rows = wallets === undefined ? 'priced_events' : 'all_events';
    await database.attach('priced_events', events, rows);
    await attachOpeningHoldings(database, source, manifest, reference, rows);
    if (wallets !== undefined) await database.run('tables/sample_wallets', { wallets });
    await writeEventLines(database, eventLines);
  } finally {
    database.close();
  }
  await buildWalletIndex(source, manifest, folder, eventLines, reference);
  await addRestatements(source, manifest, folder);
}

/**
 * Builds the index of a generation, which need not be sealed yet.
 * @param eventLines file written by `writeEventLines`
 */
export async function buildWalletIndex(
  source: string,
  manifest: Pick<Manifest, 'tables'>,
  folder: string,
  eventLines: string,
  { rules }: Reference,
  onRows: (rows: number) => void = () => {},
): Promise<void> {
  const database = await Database.open(`${folder}-spill`, { threads: 1, memoryLimit: '300MB' });
  try {
    await attachIndexTables(database, source, manifest);
    const writer = new WalletIndexWriter(folder);
    try {
      await fillWalletIndex(writer, database, manifest, rules.nativeDenom);
      for (const batch of walletBatches(readLines(eventLines))) {
        await writer.add(batch);
        onRows(batch.rows.length);
      }
    } finally {
      await writer.close();
    }
  } finally {
    database.close();
  }
}

/** Adds the restatements of a sealed generation, which are known only after the rest of its index. */
export async function addRestatements(
  source: string,
  manifest: Pick<Manifest, 'tables' | 'restatements'>,
  folder: string,
): Promise<void> {
  if (manifest.restatements.length === 0) return;
  const database = await Database.open(`${folder}-spill`, { threads: 1, memoryLimit: '300MB' });
  const writer = new WalletIndexWriter(folder);
  try {
    await database.attach('restatements', tableFiles(source, manifest, 'restatements'));
    const rows = database.rows<Restatement>('restatements', readSql('tables/restatements_in_order'));
    for await (const [address, restated] of groupRows(rows, (row) => row.address!)) {
      await writer.put(walletKey.restatements(address), restatementsFormat.serialize(restated));
    }
  } finally {
    await writer.close();
    database.close();
  }
}

const TABLES = ['flagged_receipts', 'prices', 'validators', 'validator_payouts'];
const HOLDINGS_TABLES = [
  'delegation_intervals',
  'unbonding_intervals',
  'validator_days',
  'validator_slashes',
  'opening_balances',
  'coin_movements',
];

const hasHoldings = ({ tables }: Pick<Manifest, 'tables'>) => tables.some(({ name }) => name === 'validator_days');

async function attachIndexTables(database: Database, folder: string, manifest: Pick<Manifest, 'tables'>) {
  for (const table of [...TABLES, ...(hasHoldings(manifest) ? HOLDINGS_TABLES : [])]) {
    await database.attach(table, tableFiles(folder, manifest, table));
  }
}

/** Adds prices, flagged receipts, payouts and holdings. Must be called before the first wallet is added. */
async function fillWalletIndex(
  index: WalletIndexWriter,
  database: Database,
  manifest: Pick<Manifest, 'tables'>,
  native: string,
): Promise<void> {
  for await (const [denom, rows] of groupRows(database.sorted<Price>('prices'), (row) => row.denom)) {
    await index.put(walletKey.prices(denom), JSON.stringify(rows.map(({ day, usd }) => [day, usd.toString()])));
  }
  const flagged = database.sorted<FlaggedReceipt>('flagged_receipts');
  for await (const [address, rows] of groupRows(flagged, (row) => row.address)) {
    await index.put(walletKey.flagged(address), flaggedFormat.serialize(rows));
  }
  await addPayouts(index, database, native);
  if (hasHoldings(manifest)) {
    await addValidators(index, database, native);
    await addWallets(index, database, native);
  }
  await index.committed();
}

async function addPayouts(index: WalletIndexWriter, database: Database, native: string): Promise<void> {
  const validators: [string, string, boolean][] = [];
  for await (const rows of database.sorted<KnownValidator>('validators')) {
    validators.push(...rows.map((row): [string, string, boolean] => [row.validator, row.moniker, row.on_chain]));
  }
  await index.put(walletKey.validators(), JSON.stringify(validators));
  const payouts = database.sorted<ValidatorPayout>('validator_payouts');
  let [operator, paying] = ['', { native, account: '', numbers: new Map<string, number>() }];
  for await (const [, rows] of groupRows(payouts, ({ validator, day }) => `${validator} ${day.slice(0, 7)}`)) {
    const { validator, day } = rows[0]!;
    if (validator !== operator) {
      [operator, paying] = [validator, { native, account: operatorAccount(validator), numbers: new Map() }];
    }
    await index.put(walletKey.payouts(operator, day.slice(0, 7)), payoutsFormat.serialize(rows, paying));
  }
}

/**
 * Adds validators with their reward ratios in the native coin only. Validators earn dozens of denoms, whose ratios for
 * a year would need a hundred times as much memory.
 */
async function addValidators(index: WalletIndexWriter, database: Database, native: string): Promise<void> {
  const slashes = new Map<string, readonly ValidatorSlash[]>();
  const allSlashes = database.sorted<ValidatorSlash>('validator_slashes');
  for await (const [validator, rows] of groupRows(allSlashes, (row) => row.validator))
    slashes.set(
      validator,
      rows.map((row) => ({ ...row, ratio: onlyDenom(row.ratio, native) })),
    );
  const closes = new Map<string, ClosedDay>();
  const closed = database.rows<ClosedValidator>('validator_days', readSql('tables/native_validator_days'), { native });
  for await (const [validator, days] of groupRows(closed, (row) => row.validator)) {
    const history = { days, slashes: slashes.get(validator) ?? [] };
    await index.put(walletKey.validator(validator), validatorFormat.serialize(history));
    for (const { day, close_height } of days) closes.set(day, { day, close_height });
  }
  const ascending = [...closes.values()].sort((a, b) => a.close_height - b.close_height);
  await index.put(walletKey.days(), daysFormat.serialize(ascending));
  const accrued = database.rows<ValidatorDay>('validator_days', readSql('tables/accrued_commission'));
  for await (const [validator, rows] of groupRows(accrued, (row) => row.validator)) {
    await index.put(walletKey.accrued(validator), accruedFormat.serialize(rows));
  }
}

async function addWallets(index: WalletIndexWriter, database: Database, native: string): Promise<void> {
  const balances = database.rows<DailyBalance>('daily_balances', readSql('tables/daily_balances'), { native });
  for await (const [address, rows] of groupRows(balances, (row) => row.address)) {
    await index.put(walletKey.liquid(address), liquidFormat.serialize(rows));
  }
  const sql = readSql('tables/native_intervals');
  const intervals = database.rows<DelegationInterval>('delegation_intervals', sql, { native });
  for await (const [delegator, rows] of groupRows(intervals, (row) => row.delegator)) {
    await index.put(
      walletKey.intervals(delegator),
      intervalsFormat.serialize(rows.map((row) => ({ ...row, start_ratio: onlyDenom(row.start_ratio, native) }))),
    );
  }
  const entries = database.sorted<UnbondingInterval>('unbonding_intervals');
  for await (const [delegator, rows] of groupRows(entries, (row) => row.delegator)) {
    await index.put(walletKey.unbonding(delegator), unbondingFormat.serialize(rows));
  }
}

const isWriteError = (error: unknown): boolean =>
  error instanceof Error && ('commitError' in error || ('code' in error && typeof error.code === 'number'));

const UNWRITTEN_CHARACTERS_MAX = 16_000_000;

interface OpenWallet {
  segments: number;
  rows: number;
  ends: [string, string] | undefined;
  filling: string[];
}

const emptyWallet = (): OpenWallet => ({ segments: 0, rows: 0, ends: undefined, filling: [] });

function extentOf(address: string, { rows, segments }: OpenWallet, ends: [string, string]): Extent {
  const [first, last] = eventsOf(address, ends).map(({ time }) => time) as [string, string];
  return { rows, segments, first, last };
}

export class WalletIndexWriter {
  private readonly environment: RootDatabase<Buffer>;
  private wallet = emptyWallet();
  private unwritten = 0;
  private hasFailed = false;

  constructor(private readonly folder: string) {
    mkdirSync(folder, { recursive: true });
    makeReaders(folder);
    this.environment = open({ path: folder, ...INDEX_OPTIONS, noSync: true });
    process.on('unhandledRejection', this.onRejection);
  }

  async add({ address, opening, rows, last }: WalletBatch): Promise<void> {
    const { wallet } = this;
    if (opening !== undefined) await this.put(walletKey.opening(address), opening);
    wallet.rows += rows.length;
    const [first, end] = [rows[0], rows.at(-1)];
    if (first !== undefined && end !== undefined) wallet.ends = [wallet.ends?.[0] ?? first, end];
    for (const row of rows) {
      if (wallet.filling.push(row) === SEGMENT_ROWS) await this.putSegment(address);
    }
    if (!last || !wallet.ends) return;
    if (wallet.filling.length > 0) await this.putSegment(address);
    await this.put(walletKey.extent(address), JSON.stringify(extentOf(address, wallet, wallet.ends)));
    this.wallet = emptyWallet();
  }

  async close(): Promise<void> {
    await this.environment.flushed.then(undefined, this.fail);
    await this.environment.close();
    await nextRound();
    process.off('unhandledRejection', this.onRejection);
    this.requireWritten();
  }

  /**
   * Queues a value for writing. Waits if too many characters are queued.
   * @throws ConfigError if an earlier write failed
   */
  async put(key: (string | number)[], text: string): Promise<void> {
    this.requireWritten();
    const written = this.write(key, Buffer.from(text));
    this.unwritten += text.length;
    if (this.unwritten < UNWRITTEN_CHARACTERS_MAX) return;
    this.unwritten = 0;
    await written;
  }

  /**
   * Waits until readers can see all queued values.
   * @throws ConfigError if a write failed
   */
  async committed(): Promise<void> {
    await this.environment.committed.then(undefined, this.fail);
    this.requireWritten();
  }

  /** Records a failure for the next call to throw, because an unhandled rejection would end the process. */
  private async write(key: (string | number)[], value: Buffer): Promise<void> {
    await this.environment.put(key, value).catch(this.fail);
  }

  private readonly fail = (): void => {
    this.hasFailed = true;
  };

  /** Handles rejections of LMDB's internal promises, because an unhandled rejection would end the process. */
  private readonly onRejection = (error: unknown): void => {
    if (!isWriteError(error)) throw error;
    this.fail();
  };

  private requireWritten(): void {
    if (this.hasFailed) throw new ConfigError(`${this.folder} cannot be written: the disk is full or failing`);
  }

  private async putSegment(address: string): Promise<void> {
    const { wallet } = this;
    const segment = eventsFormat.serialize(wallet.filling);
    wallet.filling = [];
    await this.put(walletKey.segment(address, wallet.segments++), segment);
  }
}
