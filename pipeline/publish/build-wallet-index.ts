/**
 * Builds the layers of a generation's wallet index from its Parquet files. A request then finds a wallet's rows with
 * one lookup in each layer. The layers' keys cover this module's code and its imports. So a server rebuilds the layers
 * after a change of the code.
 */

import { createHash } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { open, type RootDatabase } from 'lmdb';
import type {
  DailyHolding,
  DelegationInterval,
  ExchangeRate,
  KnownValidator,
  Manifest,
  Restatement,
  ValidatorDay,
  ValidatorPayout,
  ValidatorSlash,
  WalletCoin,
  WalletStake,
} from '../../schemas/types.generated.js';
import { cacheKey } from '../base/cache-key/cache-key.js';
import { ConfigError } from '../base/config-error.js';
import { type LineEncoding, readLines } from '../base/disk/lines.js';
import { Database, readSql } from '../base/duckdb/database.js';
import { type ClosedDay, type ClosedValidator, payableRatios } from '../holdings/day-holdings.js';
import { operatorAccount } from '../holdings/modules/validator.js';
import { type Amounts, Denoms, onlyDenom, parseDecCoins } from '../holdings/values/decimal18.js';
import { attachOpeningHoldings, createNoOpeningHoldings } from './derived-tables.js';
import { tableFiles } from './generation.js';
import { groupRows } from './group-rows.js';
import { eventBatches, type WalletBatch, walletBatches } from './wallet-batches.js';
import {
  type Extent,
  eventsFormat,
  INDEX_OPTIONS,
  restatementsFormat,
  SEGMENT_ROWS,
  walletKey,
} from './wallet-index/events-format.js';
import {
  daysFormat,
  movesFormat,
  ratesFormat,
  slashesFormat,
  stakesFormat,
  statesFormat,
  trackedDaysFormat,
  validatorFormat,
  valuationFormat,
} from './wallet-index/holdings-format.js';
import { hasHoldings, hasTrackedHoldings, type IndexSource, type Layer, splitLayers } from './wallet-index/layers.js';
import { makeReaders, nameLayers, openWalletIndex } from './wallet-index/open-index.js';
import { accruedFormat, payoutsFormat } from './wallet-index/payouts-format.js';

export interface IndexPlan {
  readonly source: IndexSource;
  /** Base layers in order of time, with the names of their folders. */
  readonly base: readonly (Layer & { readonly name: string })[];
  readonly open: Layer;
}

/**
 * @param spill folder for temporary files
 * @param smallLayerRows number of rows up to which months share a base layer
 */
export async function planIndex(source: IndexSource, spill: string, smallLayerRows?: number): Promise<IndexPlan> {
  const { base, open } = await splitLayers(source, spill, smallLayerRows);
  const program = cacheKey([fileURLToPath(import.meta.url)], source.reference.rules.nativeDenom);
  const nameOf = (content: unknown) =>
    `base-${createHash('sha256')
      .update(JSON.stringify([program, content]))
      .digest('hex')
      .slice(0, 16)}`;
  return { source, open, base: base.map((layer) => ({ ...layer, name: nameOf(layer.content) })) };
}

interface BuildOptions {
  /** If present, only the events of this many wallets are indexed. */
  readonly wallets?: number;
  readonly onRows?: (rows: number) => void;
}

/** @param earlier folders of all earlier base layers */
export async function buildBaseLayer(
  plan: IndexPlan,
  layer: Layer,
  folder: string,
  earlier: readonly string[],
  options: BuildOptions = {},
): Promise<void> {
  const path = `${folder}-lines.txt`;
  await buildLayer(plan, layer, folder, options, async (index, database, native) => {
    await withDelegators(earlier, (known) => addPayouts(index, database, native, known, true));
    if (hasHoldings(layer.tables)) {
      await addHoldings(index, database, native, new Map(), path);
      await addInstants(index, database, path);
    }
  });
}

/** @param base folders of the base layers */
export async function buildOpenLayer(
  plan: IndexPlan,
  folder: string,
  base: readonly string[],
  options: BuildOptions = {},
): Promise<void> {
  const path = `${folder}-lines.txt`;
  await buildLayer(plan, plan.open, folder, options, async (index, database, native) => {
    await withDelegators(base, (known) => addPayouts(index, database, native, known, false));
    await addUndated(index, database, path);
    if (hasHoldings(plan.open.tables)) {
      await addHoldings(index, database, native, await slashesByValidator(database, native), path);
      await addInstants(index, database, path);
      await addSlashes(index, database);
    }
    if (hasTrackedHoldings(plan.open.tables)) {
      await addTrackedDays(index, database, plan.source);
      await addTrackedInstants(index, database, plan.source, path);
    }
  });
  nameLayers(
    folder,
    plan.base.map(({ name }) => name),
  );
}

/** Returns the addresses of a validator's delegators that have numbers in earlier layers, in order of their numbers. */
type Delegators = (operator: string) => readonly string[];

async function withDelegators(layers: readonly string[], use: (known: Delegators) => Promise<void>): Promise<void> {
  const indexes = layers.map(openWalletIndex);
  try {
    await use((operator) =>
      indexes.flatMap((index) => index.getBinary(walletKey.delegators(operator))?.toString().split(',') ?? []),
    );
  } finally {
    await Promise.all(indexes.map((index) => index.close()));
  }
}

async function buildLayer(
  { source: { folder: source, manifest, reference } }: IndexPlan,
  { tables, until, opening }: Layer,
  folder: string,
  { wallets, onRows = () => {} }: BuildOptions,
  fill: (index: WalletIndexWriter, database: Database, native: string) => Promise<void>,
): Promise<void> {
  // Limits memory, because the ledger replay runs at the same time.
  const database = await Database.open(`${folder}-spill`, { threads: 1, memoryLimit: '300MB' });
  try {
    for (const table of [...TABLES, ...(hasHoldings(tables) ? HOLDINGS_TABLES : [])]) {
      await database.attach(table, tableFiles(source, { tables }, table));
    }
    for (const table of LATER_TABLES) await attachLater(database, source, tables, table);
    const events = tableFiles(source, { tables }, 'priced_events');
    await database.attach('priced_events', events, wallets === undefined ? 'priced_events' : 'all_events');
    if (opening) {
      await database.attach(
        'priced_events',
        tableFiles(source, { tables: opening }, 'priced_events'),
        'opening_events',
      );
      const { coverage } = manifest;
      await attachOpeningHoldings(database, source, { tables: opening, coverage }, reference, 'opening_events');
    } else await createNoOpeningHoldings(database);
    if (hasHoldings(tables)) {
      // Opening holdings may have attached the movements of more months.
      await database.attach('coin_movements', tableFiles(source, { tables }, 'coin_movements'));
      for (const [table, name] of ALL_CLOSES) await attachLater(database, source, until, table, name);
    }
    if (wallets !== undefined) await database.run('tables/sample_wallets', { wallets });
    for (const macro of ['tables/ratio_text', 'tables/unscaled']) await database.run(macro);
    const writer = new WalletIndexWriter(folder);
    try {
      await fill(writer, database, reference.rules.nativeDenom);
      if (opening && hasHoldings(tables)) await addCoins(writer, database, `${folder}-coins.txt`);
      for await (const batch of eventBatches(database, `${folder}-rows.txt`, { encoding: 'latin1' })) {
        writer.add(batch, 'latin1');
        onRows(batch.rows.length);
      }
    } finally {
      await writer.close();
    }
  } finally {
    database.close();
  }
}

/**
 * Adds restatements (changed amounts of closed months) to the index. They are known only after the generation has been
 * sealed, when the rest of the index is complete.
 */
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
      writer.put(walletKey.restatements(address), restatementsFormat.serialize(restated));
    }
  } finally {
    await writer.close();
    database.close();
  }
}

const TABLES = ['flagged_receipts', 'prices', 'validators', 'validator_payouts'];
/** Tables that datasets of earlier versions lack. */
const LATER_TABLES = ['exchange_rates', 'validator_edges', 'validator_rates', 'block_nanos', 'reward_months'];

/** Tables that are also attached with the rows of earlier layers, and the names of these views. */
const ALL_CLOSES = [
  ['validator_days', 'all_days'],
  ['validator_edges', 'all_edges'],
] as const;

/** Attaches a table. It is empty if the dataset lacks it. */
async function attachLater(
  database: Database,
  source: string,
  tables: Layer['tables'],
  table: string,
  name = table,
): Promise<void> {
  const isThere = tables.some((other) => other.name === table);
  await database.attach(table, isThere ? tableFiles(source, { tables }, table) : [], name);
}

/** Tables that earlier datasets of single wallets lack. */
const TRACKED_TABLES = ['block_nanos', 'wallet_states', 'wallet_stakes'];

const HOLDINGS_TABLES = [
  'blocks',
  'daily_holdings',
  'delegation_intervals',
  'unbonding_intervals',
  'validator_days',
  'validator_slashes',
];

/** Adds the tables that are not split by month. @param path path of a temporary file */
async function addUndated(index: WalletIndexWriter, database: Database, path: string): Promise<void> {
  await addLines(index, database, 'tables/price_lines', { path }, walletKey.prices);
  await addLines(index, database, 'tables/quote_lines', { path }, walletKey.quotes);
  await addLines(index, database, 'tables/flagged_lines', { path }, walletKey.flagged);
  const validators: [string, string, boolean][] = [];
  for await (const rows of database.sorted<KnownValidator>('validators')) {
    validators.push(...rows.map((row): [string, string, boolean] => [row.validator, row.moniker, row.on_chain]));
  }
  index.put(walletKey.validators(), JSON.stringify(validators));
  const rates: [string, string, string][] = [];
  for await (const rows of database.sorted<ExchangeRate>('exchange_rates')) {
    rates.push(...rows.map((row): [string, string, string] => [row.day, row.currency, row.per_eur.toString()]));
  }
  index.put(walletKey.exchangeRates(), JSON.stringify(rates));
}

/** Adds lists whose items SQL writes as sorted lines: name, tab and JSON. Keeps the lines' bytes. */
async function addLines(
  index: WalletIndexWriter,
  database: Database,
  sql: string,
  parameters: { readonly path: string; readonly native?: string },
  keyOf: (name: string) => string[],
): Promise<void> {
  const { path } = parameters;
  try {
    await database.run(sql, parameters);
    let items: string[] = [];
    for (const { address: name, rows, last } of walletBatches(readLines(path, 'latin1'))) {
      items.push(...rows);
      if (!last) continue;
      index.put(keyOf(name), `[${items.join(',')}]`, 'latin1');
      items = [];
    }
  } finally {
    rmSync(path, { force: true });
  }
}

/** Adds holdings of a dataset of single wallets. The open layer contains all days, because there are few. */
async function addTrackedDays(
  index: WalletIndexWriter,
  database: Database,
  { folder, manifest }: IndexSource,
): Promise<void> {
  for (const table of ['daily_holdings', 'blocks']) await database.attach(table, tableFiles(folder, manifest, table));
  const days = database.sorted<DailyHolding>('daily_holdings');
  for await (const [address, rows] of groupRows(days, (row) => row.address)) {
    index.put(walletKey.trackedDays(address), trackedDaysFormat.serialize(rows));
  }
  const closes = await database.all<ClosedDay>(readSql('tables/tracked_closes'));
  index.put(walletKey.days(), daysFormat.serialize(closes));
}

/**
 * Adds everything from which the holdings of single wallets after any block follow. The open layer contains all months.
 * @param path path of a temporary file
 */
async function addTrackedInstants(
  index: WalletIndexWriter,
  database: Database,
  { folder, manifest }: IndexSource,
  path: string,
): Promise<void> {
  const there = new Set(manifest.tables.map(({ name }) => name));
  for (const table of ['opening_balances', 'coin_movements', ...TRACKED_TABLES]) {
    await database.attach(table, there.has(table) ? tableFiles(folder, manifest, table) : []);
  }
  await addCoins(index, database, path);
  await addMoves(index, database, path);
  await addBlockTimes(index, database, 'tables/tracked_block_lines', path);
  for await (const [address, rows] of groupRows(database.sorted<WalletCoin>('wallet_states'), (row) => row.address)) {
    index.put(walletKey.states(address), statesFormat.serialize(rows));
  }
  for await (const [address, rows] of groupRows(database.sorted<WalletStake>('wallet_stakes'), (row) => row.address)) {
    index.put(walletKey.stakes(address), stakesFormat.serialize(rows));
  }
}

/**
 * Adds validators' payouts by month.
 * @param isClosed true for a base layer, which also gets the delegators that have no number in earlier layers
 */
async function addPayouts(
  index: WalletIndexWriter,
  database: Database,
  native: string,
  known: Delegators,
  isClosed: boolean,
): Promise<void> {
  const payouts = database.sorted<ValidatorPayout>('validator_payouts');
  const numbersOf = (operator: string) => new Map(known(operator).map((address, number) => [address, number]));
  let [operator, knownHere, paying] = ['', 0, { native, account: '', numbers: new Map<string, number>() }];
  const putDelegators = async () => {
    const added = [...paying.numbers.keys()].slice(knownHere);
    if (isClosed && added.length > 0) index.put(walletKey.delegators(operator), added.join());
  };
  for await (const [, rows] of groupRows(payouts, ({ validator, day }) => `${validator} ${day.slice(0, 7)}`)) {
    const { validator, day } = rows[0]!;
    if (validator !== operator) {
      await putDelegators();
      operator = validator;
      paying = { native, account: operatorAccount(validator), numbers: numbersOf(validator) };
      knownHere = paying.numbers.size;
    }
    index.put(walletKey.payouts(operator, day.slice(0, 7)), payoutsFormat.serialize(rows, paying));
  }
  await putDelegators();
}

type Slashes = ReadonlyMap<string, readonly ValidatorSlash[]>;

async function slashesByValidator(database: Database, native: string): Promise<Slashes> {
  const slashes = new Map<string, readonly ValidatorSlash[]>();
  const all = database.sorted<ValidatorSlash>('validator_slashes');
  for await (const [validator, rows] of groupRows(all, (row) => row.validator)) {
    slashes.set(
      validator,
      rows.map((row) => ({ ...row, ratio: onlyDenom(row.ratio, native) })),
    );
  }
  return slashes;
}

/**
 * Adds holdings of wallets, and validators with their reward ratios. Omits ratios of all coins except the native one.
 * Validators earn dozens of denoms, so all ratios of a year would need a hundred times as much memory.
 * @param path path of a temporary file
 */
async function addHoldings(
  index: WalletIndexWriter,
  database: Database,
  native: string,
  slashes: Slashes,
  path: string,
): Promise<void> {
  const slashed = new Map(slashes);
  const closes = new Map<string, ClosedDay>();
  const closed = database.rows<ClosedValidator>('validator_days', readSql('tables/native_validator_days'), { native });
  for await (const [validator, days] of groupRows(closed, (row) => row.validator)) {
    const history = { days, slashes: slashed.get(validator) ?? [] };
    slashed.delete(validator);
    index.put(walletKey.validator(validator), validatorFormat.serialize(history));
    for (const { day, close_height } of days) closes.set(day, { day, close_height });
  }
  for (const [validator, rows] of slashed) {
    index.put(walletKey.validator(validator), validatorFormat.serialize({ days: [], slashes: rows }));
  }
  const ascending = [...closes.values()].sort((a, b) => a.close_height - b.close_height);
  index.put(walletKey.days(), daysFormat.serialize(ascending));
  const accrued = database.rows<ValidatorDay>('validator_days', readSql('tables/accrued_commission'));
  for await (const [validator, rows] of groupRows(accrued, (row) => row.validator)) {
    index.put(walletKey.accrued(validator), accruedFormat.serialize(rows));
  }
  await addLines(index, database, 'tables/balance_lines', { path }, walletKey.liquid);
  await addLines(index, database, 'tables/interval_lines', { path, native }, walletKey.intervals);
  await addLines(index, database, 'tables/unbonding_lines', { path }, walletKey.unbonding);
}

type RateOfDay = Omit<ValidatorDay, 'day'> & { readonly day: string | null };

/** Adds everything from which holdings after any block follow. @param path path of a temporary file */
async function addInstants(index: WalletIndexWriter, database: Database, path: string): Promise<void> {
  await addMoves(index, database, path);
  await addBlockTimes(index, database, 'tables/block_time_lines', path);
  const rates = database.rows<RateOfDay>('validator_days', readSql('tables/rates_by_day'));
  for await (const [, rows] of groupRows(rates, ({ validator, day }) => `${validator} ${day}`)) {
    const { validator, day } = rows[0]!;
    index.put(walletKey.rates(validator, day ?? ''), ratesFormat.serialize(rows));
  }
  for await (const rows of database.rows<ValidatorDay>('validator_days', readSql('tables/valuations'))) {
    for (const row of rows) {
      index.put(walletKey.valuation(row.validator, row.close_height), valuationFormat.serialize(row));
    }
  }
  await addStarts(index, database);
  await addLines(index, database, 'tables/reward_month_lines', { path }, walletKey.rewardMonths);
}

async function addBlockTimes(index: WalletIndexWriter, database: Database, sql: string, path: string): Promise<void> {
  await database.run(sql, { path });
  for (const { address: day, rows } of walletBatches(readLines(path, 'latin1'))) {
    index.put(walletKey.blockTimes(day), rows[0]!, 'latin1');
  }
  rmSync(path);
}

/** Number of blocks for which one highest ratio of a validator and denom is kept in memory. About a week. */
const RATIO_SPAN = 100_000;

/** Adds the reward ratios at the start of delegations, for the denoms that may pay a whole unit. */
async function addStarts(index: WalletIndexWriter, database: Database): Promise<void> {
  await database.run('tables/lasting_starts');
  const denoms = new Denoms();
  const highest = new Map<string, Amounts>();
  const ratios = readSql('tables/highest_ratios');
  for await (const rows of database.rows<ValidatorDay>('validator_days', ratios, { span: RATIO_SPAN })) {
    for (const { validator, close_height, ratio } of rows) {
      highest.set(`${validator} ${close_height}`, parseDecCoins(ratio, denoms));
    }
  }
  const starts = database.rows<DelegationInterval>('delegation_intervals', readSql('tables/start_ratios'));
  for await (const rows of starts) {
    for (const { validator, from_height, start_period, stake, to_height, start_ratio } of rows) {
      const span = Math.floor(to_height! / RATIO_SPAN);
      const payable = payableRatios(start_ratio, stake, highest.get(`${validator} ${span}`) ?? [], denoms);
      index.put(walletKey.start(validator, from_height, start_period), payable);
    }
  }
}

/** Adds changes of liquid coins. @param path path of a temporary file */
async function addMoves(index: WalletIndexWriter, database: Database, path: string): Promise<void> {
  await database.run('tables/move_lines', { path });
  let heights: number[] = [];
  let sums = new Map<string, bigint>();
  for (const { address, rows, last } of walletBatches(readLines(path, 'latin1'))) {
    for (let from = 0; from < rows.length; from += SEGMENT_ROWS) {
      const segment = rows.slice(from, from + SEGMENT_ROWS);
      const text = movesFormat.serialize(sums, segment);
      index.put(walletKey.moves(address, heights.length), text, 'latin1');
      heights.push(Number.parseInt(segment[0]!.slice(1), 10));
      if (last && from + SEGMENT_ROWS >= rows.length) continue;
      sums = new Map(sums);
      for (const [, denom, amount] of movesFormat.parse(text).moves) {
        sums.set(denom, (sums.get(denom) ?? 0n) + BigInt(amount));
      }
    }
    if (!last) continue;
    if (heights.length > 1) index.put(walletKey.moveSegments(address), JSON.stringify(heights));
    [heights, sums] = [[], new Map()];
  }
  rmSync(path);
}

/** Adds liquid coins before the index. @param path path of a temporary file */
async function addCoins(index: WalletIndexWriter, database: Database, path: string): Promise<void> {
  await database.run('tables/coin_lines', { path });
  for (const { address, opening } of walletBatches(readLines(path, 'latin1'))) {
    index.put(walletKey.coins(address), opening!, 'latin1');
  }
  rmSync(path);
}

async function addSlashes(index: WalletIndexWriter, database: Database): Promise<void> {
  const all = database.sorted<ValidatorSlash>('validator_slashes');
  for await (const [validator, rows] of groupRows(all, (row) => row.validator)) {
    index.put(walletKey.slashes(validator), slashesFormat.serialize(rows));
  }
}

const UNWRITTEN_CHARACTERS_MAX = 4_000_000;

interface OpenWallet {
  segments: number;
  rows: number;
  filling: string[];
}

const emptyWallet = (): OpenWallet => ({ segments: 0, rows: 0, filling: [] });

export class WalletIndexWriter {
  private readonly environment: RootDatabase<Buffer>;
  private wallet = emptyWallet();
  private unwritten: [key: (string | number)[], value: Buffer][] = [];
  private characters = 0;
  private hasFailed = false;

  constructor(private readonly folder: string) {
    mkdirSync(folder, { recursive: true });
    makeReaders(folder);
    this.environment = open({ path: folder, ...INDEX_OPTIONS, noSync: true });
  }

  /** @param encoding encoding with which the lines were read */
  add({ address, opening, rows, last }: WalletBatch, encoding?: LineEncoding): void {
    const { wallet } = this;
    if (opening !== undefined) this.put(walletKey.opening(address), opening, encoding);
    wallet.rows += rows.length;
    for (const row of rows) {
      if (wallet.filling.push(row) === SEGMENT_ROWS) this.putSegment(address, encoding);
    }
    if (!last || wallet.rows === 0) return;
    if (wallet.filling.length > 0) this.putSegment(address, encoding);
    this.put(
      walletKey.extent(address),
      JSON.stringify({ rows: wallet.rows, segments: wallet.segments } satisfies Extent),
    );
    this.wallet = emptyWallet();
  }

  /** @throws ConfigError if a write failed */
  async close(): Promise<void> {
    try {
      this.write();
    } finally {
      await this.environment.close();
    }
  }

  /**
   * Adds a value. Values are written in transactions of many values.
   * @throws ConfigError if a write failed
   */
  put(key: (string | number)[], text: string, encoding?: LineEncoding): void {
    this.unwritten.push([key, Buffer.from(text, encoding)]);
    this.characters += text.length;
    if (this.characters >= UNWRITTEN_CHARACTERS_MAX) this.write();
  }

  private write(): void {
    const { environment, unwritten } = this;
    [this.unwritten, this.characters] = [[], 0];
    try {
      if (this.hasFailed) throw new Error('an earlier value is missing');
      environment.transactionSync(() => {
        for (const [key, value] of unwritten) environment.put(key, value);
      });
    } catch {
      this.hasFailed = true;
      throw new ConfigError(`${this.folder} cannot be written: the disk is full or failing`);
    }
  }

  private putSegment(address: string, encoding?: LineEncoding): void {
    const { wallet } = this;
    const segment = eventsFormat.serialize(wallet.filling);
    wallet.filling = [];
    this.put(walletKey.segment(address, wallet.segments++), segment, encoding);
  }
}
