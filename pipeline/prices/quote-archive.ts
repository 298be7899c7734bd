/**
 * Stores fetched quotes in <data directory>/prices/<methodology version>/. Each run with new quotes adds a folder,
 * which never changes later. Quotes of earlier versions stay in use where the methodology says so.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { CollectedQuote } from '../../schemas/types.generated.js';
import { ConfigError } from '../base/config-error.js';
import { listFolder, removeUnfinished, unfinished } from '../base/disk/atomic-files.js';
import { damagedFile, isSealed, sealFolder } from '../base/disk/sealed-folder.js';
import { Database } from '../base/duckdb/database.js';
import { writeTableFile } from '../base/duckdb/table-file.js';
import { type Decimal, fromUnits, toUnits } from '../base/values/decimal.js';
import type { DailyQuote, DailyQuotes } from './reject-outliers.js';

const TABLE = 'collected_quotes';

const DECIMALS = 18;

export type FetchedQuote = Omit<CollectedQuote, 'usd'> & {
  readonly usd: Decimal | null;
};

export class QuoteArchive {
  private readonly bySource = new Map<string, Map<string, DailyQuote>>();
  private readonly requested = new Set<string>();
  /** Days without a price for which the last run reached no market, by asset. The next run asks again. */
  unreached: ReadonlyMap<string, readonly string[]> = new Map();

  /** @param folder folder of the current version, to which quotes are added */
  private constructor(private readonly folder: string) {}

  /**
   * Reads all stored quotes. The quotes of a later version take precedence, so that no published price changes. The
   * caller must hold the nightly run's lock.
   * @param since earliest version whose quotes are read
   * @throws ConfigError if a folder is damaged; quotes are not fetched again, because markets may return other quotes
   * today
   */
  static async open(dataDir: string, version: string, since: string = version): Promise<QuoteArchive> {
    const prices = join(dataDir, 'prices');
    const archive = new QuoteArchive(join(prices, version));
    const versions = listFolder(prices).filter(
      (name) => /^\d+\.\d+\.\d+$/.test(name) && compare(name, since) >= 0 && compare(name, version) <= 0,
    );
    removeUnfinished(archive.folder);
    const database = await Database.open(unfinished(join(archive.folder, 'quotes-spill')), { threads: 1 });
    try {
      for (const name of versions.sort(compare).reverse()) {
        for (const number of numbered(join(prices, name))) await archive.read(database, join(prices, name, number));
      }
    } finally {
      database.close();
    }
    return archive;
  }

  quotes(source: string, asset: string): DailyQuotes {
    return this.bySource.get(`${source} ${asset}`) ?? new Map();
  }

  wasRequested(source: string, asset: string, day: string): boolean {
    return this.requested.has(`${source} ${asset} ${day}`);
  }

  async add(quotes: readonly FetchedQuote[]): Promise<void> {
    const rows = quotes.map((quote) => ({ ...quote, usd: quote.usd && toUnits(quote.usd, DECIMALS) }));
    const name = String(Number(numbered(this.folder).at(-1) ?? 0) + 1).padStart(6, '0');
    const target = join(this.folder, name);
    const making = unfinished(target);
    mkdirSync(making, { recursive: true });
    const database = await Database.open(`${making}-spill`, { threads: 1 });
    try {
      await database.create(TABLE);
      await database.append(TABLE, rows);
      await writeTableFile(database, TABLE, join(making, `${TABLE}.parquet`));
    } finally {
      database.close();
    }
    await sealFolder(making, target);
    this.remember(rows);
  }

  private async read(database: Database, folder: string): Promise<void> {
    const file = join(folder, `${TABLE}.parquet`);
    try {
      const damaged = isSealed(folder) ? await damagedFile(folder) : undefined;
      if (damaged !== undefined) throw new Error(`${damaged} is missing or damaged`);
      await database.attach(TABLE, [file]);
      for await (const rows of database.sorted<CollectedQuote>(TABLE)) this.remember(rows);
    } catch (error) {
      throw new ConfigError(
        `${file} is damaged: restore it from a copy, or remove its folder to fetch its days again ` +
          `(${(error as Error).message.split('\n')[0]})`,
      );
    }
  }

  private remember(rows: readonly CollectedQuote[]): void {
    for (const { source, asset, day, usd, fetched_at } of rows) {
      this.requested.add(`${source} ${asset} ${day}`);
      if (usd === null) continue;
      const quotes = this.bySource.get(`${source} ${asset}`) ?? new Map<string, DailyQuote>();
      this.bySource.set(`${source} ${asset}`, quotes);
      if (!quotes.has(day)) quotes.set(day, { usd: fromUnits(usd, DECIMALS), fetched: fetched_at });
    }
  }
}

const numbered = (folder: string): string[] => listFolder(folder).filter((name) => /^\d{6}$/.test(name));

const compare = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });
