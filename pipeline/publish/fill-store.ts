/** From the tables of a generation to its wallet store: everything but the wallets' own rows, which a replay brings along. */
import type {
  DailyBalance,
  DelegationInterval,
  FlaggedReceipt,
  KnownValidator,
  Manifest,
  Price,
  UnbondingInterval,
  ValidatorDay,
  ValidatorPayout,
  ValidatorSlash,
} from '../../schemas/types.generated.js';
import { type Database, readSql } from '../duckdb/database.js';
import { onlyDenom } from '../holdings/values/dec-coins.js';
import type { ClosedDay } from '../holdings/wallet-holdings.js';
import { walletKey } from '../wallet-store/events-format.js';
import { packFlagged } from '../wallet-store/flagged-format.js';
import { packDays, packIntervals, packLiquid, packUnbonding, packValidator } from '../wallet-store/holdings-format.js';
import { packPayouts } from '../wallet-store/payouts-format.js';
import { tableFiles } from './generation.js';
import { runs } from './runs.js';
import type { WalletStoreWriter } from './wallet-store-writer.js';

/** Tables that the store is made of, beside the wallets' rows. */
const TABLES = ['flagged_receipts', 'prices', 'validators', 'validator_payouts'];
const HOLDINGS_TABLES = [
  'delegation_intervals',
  'unbonding_intervals',
  'validator_days',
  'validator_slashes',
  'opening_balances',
  'coin_movements',
];

/** Where a generation has holdings. */
const hasHoldings = ({ tables }: Pick<Manifest, 'tables'>) => tables.some(({ name }) => name === 'validator_days');

/** Lets the database read what the store is made of. */
export async function attachStoreTables(database: Database, folder: string, manifest: Pick<Manifest, 'tables'>) {
  for (const table of [...TABLES, ...(hasHoldings(manifest) ? HOLDINGS_TABLES : [])]) {
    await database.attach(table, tableFiles(folder, manifest, table));
  }
}

/** What operators call their validators, by operator address. */
export async function readMonikers(database: Database): Promise<ReadonlyMap<string, string>> {
  const monikers = new Map<string, string>();
  for await (const rows of database.sorted<KnownValidator>('validators')) {
    for (const { validator, moniker } of rows) monikers.set(validator, moniker);
  }
  return monikers;
}

/** Brings prices, flagged receipts and holdings into the store. To be called before any wallet is added. */
export async function fillStore(
  store: WalletStoreWriter,
  database: Database,
  manifest: Pick<Manifest, 'tables'>,
  native: string,
): Promise<void> {
  for await (const [denom, rows] of runs(database.sorted<Price>('prices'), (row) => row.denom)) {
    await store.put(walletKey.prices(denom), JSON.stringify(rows.map(({ day, usd }) => [day, usd.toString()])));
  }
  const flagged = database.sorted<FlaggedReceipt>('flagged_receipts');
  for await (const [address, rows] of runs(flagged, (row) => row.address)) {
    await store.put(walletKey.flagged(address), packFlagged(rows));
  }
  await addPayouts(store, database);
  if (hasHoldings(manifest)) {
    await addValidators(store, database, native);
    await addWallets(store, database, native);
  }
  await store.committed();
}

async function addPayouts(store: WalletStoreWriter, database: Database): Promise<void> {
  const validators: [string, string, boolean][] = [];
  for await (const rows of database.sorted<KnownValidator>('validators')) {
    validators.push(...rows.map((row): [string, string, boolean] => [row.validator, row.moniker, row.on_chain]));
  }
  await store.put(walletKey.validators(), JSON.stringify(validators));
  const payouts = database.sorted<ValidatorPayout>('validator_payouts');
  let [operator, numbers] = ['', new Map<string, number>()];
  for await (const [, rows] of runs(payouts, ({ validator, day }) => `${validator} ${day.slice(0, 7)}`)) {
    const { validator, day } = rows[0]!;
    if (validator !== operator) [operator, numbers] = [validator, new Map()];
    await store.put(walletKey.payouts(operator, day.slice(0, 7)), packPayouts(rows, numbers));
  }
}

/**
 * Ratios keep the native coin alone: on the Hub, validators earn dozens of denoms, which the balances do not tell and which
 * would make a year of all validators a hundred times as large for whoever holds it.
 */
async function addValidators(store: WalletStoreWriter, database: Database, native: string): Promise<void> {
  const inNative = <Row extends { ratio: string }>(row: Row) => ({ ...row, ratio: onlyDenom(row.ratio, native) });
  const slashes = new Map<string, readonly ValidatorSlash[]>();
  const allSlashes = database.sorted<ValidatorSlash>('validator_slashes');
  for await (const [validator, rows] of runs(allSlashes, (row) => row.validator))
    slashes.set(validator, rows.map(inNative));
  const closes = new Map<string, ClosedDay>();
  for await (const [validator, days] of runs(database.sorted<ValidatorDay>('validator_days'), (row) => row.validator)) {
    await store.put(
      walletKey.validator(validator),
      packValidator({ days: days.map(inNative), slashes: slashes.get(validator) ?? [] }),
    );
    for (const { day, close_height } of days) closes.set(day, { day, close_height });
  }
  const ascending = [...closes.values()].sort((a, b) => a.close_height - b.close_height);
  await store.put(walletKey.days(), packDays(ascending));
}

async function addWallets(store: WalletStoreWriter, database: Database, native: string): Promise<void> {
  const balances = database.rows<DailyBalance>('daily_balances', readSql('tables/daily_balances'), { native });
  for await (const [address, rows] of runs(balances, (row) => row.address)) {
    await store.put(walletKey.liquid(address), packLiquid(rows));
  }
  const intervals = database.sorted<DelegationInterval>('delegation_intervals');
  for await (const [delegator, rows] of runs(intervals, (row) => row.delegator)) {
    await store.put(
      walletKey.intervals(delegator),
      packIntervals(rows.map((row) => ({ ...row, start_ratio: onlyDenom(row.start_ratio, native) }))),
    );
  }
  const entries = database.sorted<UnbondingInterval>('unbonding_intervals');
  for await (const [delegator, rows] of runs(entries, (row) => row.delegator)) {
    await store.put(walletKey.unbonding(delegator), packUnbonding(rows));
  }
}
