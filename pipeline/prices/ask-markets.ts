/**
 * Stores market quotes under <data directory>/prices/<methodology version>/. Each nightly run with new quotes adds one
 * immutable folder.
 */
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { CollectedQuote } from '../../schemas/types.generated.js';
import { type Config, readsNode } from '../config.js';
import { ConfigError } from '../config-error.js';
import { listFolder, removeUnfinished, unfinished } from '../disk/atomic-files.js';
import { damagedFile, isSealed, sealFolder } from '../disk/sealed-folder.js';
import { Database } from '../duckdb/database.js';
import { writeTableFile } from '../duckdb/table-file.js';
import { addDays, DAY_MS, dayOf } from '../ledger/day.js';
import type { Reference } from '../reference.js';
import { coingeckoSource } from './coingecko-source.js';
import { collectMarket } from './collect-market.js';
import { CollectedQuotes } from './collected-quotes.js';
import type { MarketSource } from './market-source.js';
import { assetFileName, fileSource } from './price-files.js';
import type { DailyQuotes } from './price-source.js';

const TABLE = 'collected_quotes';

/** Approximate burst limit of CoinGecko without a key. */
const COINGECKO_REQUESTS_MAX = 8;

export interface PriceNight {
  readonly config: Pick<Config, 'dataDir' | 'priceDir' | 'priceSources' | 'rpcUrls' | 'now'>;
  readonly reference: Reference;
  /** First and last block time of the index, RFC 3339 in UTC. */
  readonly span: { readonly firstTime: string; readonly lastTime: string };
  /** Logs failing sources. */
  readonly progress: { say(text: string): void };
}

/**
 * Returns all stored quotes after fetching the missing ones. Fetches nothing for a recording. Returns undefined if
 * HUBLEDGER_PRICE_SOURCES=none.
 */
export async function askMarkets(
  night: PriceNight,
  fetchImplementation: typeof fetch = fetch,
): Promise<CollectedQuotes | undefined> {
  const { config, reference, progress } = night;
  if (config.priceSources === 'none') return undefined;
  const folder = join(config.dataDir, 'prices', reference.methodology.version);
  removeUnfinished(folder);
  const earlier = await readQuotes(folder);
  const collected = new CollectedQuotes(earlier);
  const range = rangeOf(night);
  if (!readsNode(config) || range.from > range.to) return collected;
  const failures: string[] = [];
  const rows = await collectMarket({
    ...range,
    sources: await sourcesOf(night, range, fetchImplementation),
    assets: assetsOf(night),
    collected,
    known: (asset) => knownQuotes(asset, night, collected),
    parameters: reference.methodology.parameters,
    now: config.now(),
    onFailure: (message) => failures.push(message),
  });
  for (const failure of failures) progress.say(`prices: ${failure}`);
  if (rows.length === 0) {
    if (failures.length > 0) progress.say('prices: no market answered; prices stay unchanged');
    return collected;
  }
  await keepQuotes(folder, rows);
  return new CollectedQuotes([...earlier, ...rows]);
}

/** Returns the indexed days that are over. */
function rangeOf({ span, config }: PriceNight): { from: string; to: string } {
  const yesterday = addDays(dayOf(config.now().getTime()), -1);
  const [to] = [span.lastTime.slice(0, 10), yesterday].sort();
  return { from: span.firstTime.slice(0, 10), to: to! };
}

const sourceNames = ({ config, reference }: PriceNight): readonly string[] =>
  config.priceSources === 'none' ? [] : (config.priceSources ?? reference.methodology.parameters.sources);

/** Imports ccxt lazily, because it is large. */
async function sourcesOf(
  night: PriceNight,
  range: { from: string; to: string },
  fetchImplementation: typeof fetch,
): Promise<MarketSource[]> {
  const { exchangeSources } = await import('./exchange-source.js');
  const names = sourceNames(night);
  const { assets, priceMarkets } = night.reference;
  const ids = new Set(assets.flatMap(({ coingecko_id }) => coingecko_id ?? []));
  const today = dayOf(night.config.now().getTime());
  return [
    ...exchangeSources(names, priceMarkets, range, fetchImplementation),
    ...(names.includes('coingecko') ? [coingeckoSource(ids, today, fetchImplementation)] : []),
  ];
}

/**
 * Lists assets with the native coin first. The others start at a different asset each day, because a rate limit may
 * allow only the first requests.
 */
function assetsOf({ config, reference: { assets, chain } }: PriceNight): string[] {
  const named = assets.filter(({ coingecko_id }) => coingecko_id !== undefined);
  const native = named.filter(({ denom }) => denom === chain.native_denom);
  const others = [...new Set(named.map(assetFileName))];
  const first = (Math.floor(config.now().getTime() / DAY_MS) * COINGECKO_REQUESTS_MAX) % others.length;
  return [...new Set([...native.map(assetFileName), ...others.slice(first), ...others.slice(0, first)])];
}

async function knownQuotes(
  asset: string,
  night: PriceNight,
  collected: CollectedQuotes,
): Promise<Map<string, DailyQuotes>> {
  const known = new Map<string, DailyQuotes>();
  for (const source of sourceNames(night)) {
    const files = await fileSource(night.config.priceDir, source).quotes(asset);
    known.set(source, new Map([...collected.quotes(source, asset), ...files]));
  }
  return known;
}

/** @throws ConfigError for a damaged folder: a market may not return the same quotes again */
async function readQuotes(folder: string): Promise<CollectedQuote[]> {
  const rows: CollectedQuote[] = [];
  const database = await Database.open(unfinished(join(folder, 'quotes-spill')), { threads: 1 });
  try {
    for (const name of keptFolders(folder)) {
      const file = join(folder, name, `${TABLE}.parquet`);
      await readFrom(database, file, rows).catch((error) => {
        throw new ConfigError(
          `${file} is damaged: restore it from a copy, or remove its folder to fetch its days again ` +
            `(${(error as Error).message.split('\n')[0]})`,
        );
      });
    }
  } finally {
    database.close();
  }
  return rows;
}

const keptFolders = (folder: string) => listFolder(folder).filter((name) => /^\d{6}$/.test(name));

async function readFrom(database: Database, file: string, rows: CollectedQuote[]): Promise<void> {
  const damaged = isSealed(dirname(file)) ? await damagedFile(dirname(file)) : undefined; // older versions wrote no seals
  if (damaged !== undefined) throw new Error(`${damaged} is missing or damaged`);
  await database.attach(TABLE, [file]);
  for await (const batch of database.sorted<CollectedQuote>(TABLE)) rows.push(...batch);
}

/** Writes rows to the next numbered folder. */
async function keepQuotes(folder: string, rows: readonly CollectedQuote[]): Promise<void> {
  const name = String(Number(keptFolders(folder).at(-1) ?? 0) + 1).padStart(6, '0');
  const making = unfinished(join(folder, name));
  mkdirSync(making, { recursive: true });
  const database = await Database.open(`${making}-spill`, { threads: 1 });
  try {
    await database.create(TABLE);
    await database.append(TABLE, rows);
    await writeTableFile(database, TABLE, join(making, `${TABLE}.parquet`));
  } finally {
    database.close();
  }
  await sealFolder(making, join(folder, name));
}
