/** The steps that make the published tables from what is classified and from prices. */

import type { Price, ValidatorDay } from '../../schemas/types.generated.js';
import { type Database, readSql } from '../duckdb/database.js';
import { settleAll } from '../jobs/run-jobs.js';
import type { Night } from '../night.js';
import { collectPrices } from '../prices/collect-prices.js';
import { type ShareDenom, ShareRates, sharePrices } from '../prices/share-prices.js';
import { packEvents, packedFile } from '../publish/wallet-pieces.js';
import { writeTable } from '../publish/write-table.js';
import { askMarkets } from './ask-markets.js';
import { beginReplay } from './replay-wallets.js';

/** Prices are published as far back as the sources reach: a lot's date may lie before the index. */
const FIRST_DAY = '1970-01-01';

/** Collects the published prices up to the last block's day; with holdings also those of tokenized shares. */
export async function collectDailyPrices(night: Night): Promise<void> {
  const { config, reference, span, database } = night;
  const collected = await askMarkets(night);
  const quoted = await collectPrices({
    priceDir: config.priceDir,
    priceSources: config.priceSources,
    assets: reference.assets,
    methodology: reference.methodology,
    ...(collected ? { collected } : {}),
    from: FIRST_DAY,
    to: span.lastTime.slice(0, 10),
  });
  const prices = [...quoted, ...(night.start ? await pricesOfShares(night, quoted) : [])];
  await database.create('prices');
  await database.append('prices', prices);
}

async function pricesOfShares({ database, reference }: Night, quoted: readonly Price[]): Promise<Price[]> {
  const shares = await database.all<ShareDenom>(readSql('tables/share_denoms'));
  const days: ValidatorDay[] = [];
  for await (const rows of database.sorted<ValidatorDay>('validator_days')) days.push(...rows);
  const native = quoted.filter(({ denom }) => denom === reference.chain.native_denom);
  return sharePrices(shares, native, new ShareRates(days));
}

/** Tables of rows that happened in a block: one file a month. */
const MONTHLY = ['coin_movements', 'supply_changes', 'validator_payouts'];
/** What there is of holdings: only with a starting state. */
const MONTHLY_HOLDINGS = ['delegation_intervals', 'unbonding_intervals', 'validator_days'];
const WHOLE = ['prices', 'validators'];
const WHOLE_HOLDINGS = ['validator_slashes', 'opening_balances', 'native_holdings'];

/** Writes all tables that are made so far; later steps read them as they were written. Wallets are replayed meanwhile. */
export async function writeTables(night: Night): Promise<void> {
  const beside = await night.database.beside();
  try {
    await settleAll([writeEvents(night), writeOthers(night, beside)]);
  } finally {
    beside.close();
  }
}

async function writeEvents(night: Night): Promise<void> {
  const { database, folder, storeFolder, span, tables } = night;
  await database.run('tables/priced_events');
  tables.push(await writeTable(database, 'priced_events', folder, span.months));
  await packEvents(database, packedFile(storeFolder));
  beginReplay(night);
}

async function writeOthers({ folder, reference, span, start, tables }: Night, database: Database): Promise<void> {
  const { native_denom: native } = reference.chain;
  const { decimals } = reference.rules.denomination(native);
  await database.run('tables/validator_payouts', { native, decimals });
  for (const table of [...MONTHLY, ...(start ? MONTHLY_HOLDINGS : [])]) {
    tables.push(await writeTable(database, table, folder, span.months));
  }
  for (const table of [...WHOLE, ...(start ? WHOLE_HOLDINGS : [])]) {
    tables.push(await writeTable(database, table, folder));
  }
}
