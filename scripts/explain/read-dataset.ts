/** The dataset that an explanation reads: the published generation in force, and the raw blocks beside it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FullBlock } from '../../pipeline/chain/block.js';
import { rangeOf, rawFolder } from '../../pipeline/chain/raw-files.js';
import { readBlocks } from '../../pipeline/chain/read-blocks.js';
import { ConfigError } from '../../pipeline/config-error.js';
import { scratchFolder } from '../../pipeline/disk/scratch-folder.js';
import { Database } from '../../pipeline/duckdb/database.js';
import type { OpeningHoldings } from '../../pipeline/ledger/opening/opening-coins.js';
import { projectRoot } from '../../pipeline/project.js';
import { attachOpeningHoldings } from '../../pipeline/publish/derived-tables.js';
import {
  generationDir,
  isUpToDate,
  publishedGeneration,
  readManifest,
  tableFiles,
} from '../../pipeline/publish/generation.js';
import type { Reference } from '../../pipeline/reference.js';
import type { Manifest, OpeningBalance, Price, PricedEvent } from '../../schemas/types.generated.js';

const readSql = (name: string) => readFileSync(join(projectRoot(), `scripts/explain/${name}.sql`), 'utf8');

/** The published dataset, open for one command. */
export class PublishedDataset {
  private constructor(
    private readonly dataDir: string,
    private readonly database: Database,
    readonly manifest: Manifest,
  ) {}

  /** Opens the generation in force. @throws ConfigError when no dataset of this program's versions is published */
  static async open(dataDir: string, reference: Reference): Promise<PublishedDataset> {
    const generation = publishedGeneration(dataDir);
    const folder = generationDir(dataDir, generation);
    const manifest = readManifest(folder);
    if (!isUpToDate(dataDir, reference))
      throw new ConfigError(`${generation} is of another version: run a night first`);
    const database = await Database.open(await scratchFolder(dataDir, 'explain-spill'));
    for (const table of ['priced_events', 'prices']) {
      await database.attach(table, tableFiles(folder, manifest, table));
    }
    await attachOpeningHoldings(database, folder, manifest, reference);
    return new PublishedDataset(dataDir, database, manifest);
  }

  close(): void {
    this.database.close();
  }

  /** A wallet's rows, from its first to its last. */
  async rows(address: string): Promise<PricedEvent[]> {
    const rows: PricedEvent[] = [];
    const chunks = this.database.rows<PricedEvent>('priced_events', readSql('wallet_rows'), { address });
    for await (const chunk of chunks) rows.push(...chunk);
    return rows;
  }

  /** Base units of each denom that a wallet held before the index; undefined without a starting state. */
  async opening(address: string): Promise<OpeningHoldings> {
    if (!this.manifest.tables.some(({ name }) => name === 'opening_balances')) return undefined;
    const held = new Map<string, bigint>();
    const chunks = this.database.rows<OpeningBalance>('opening_balances', readSql('opening_holdings'), { address });
    for await (const chunk of chunks) for (const { denom, amount } of chunk) held.set(denom, amount);
    return held;
  }

  /** The prices that some denoms have on a UTC day. */
  async prices(denoms: readonly string[], day: string): Promise<Price[]> {
    const prices: Price[] = [];
    for await (const chunk of this.database.rows<Price>('prices', readSql('day_prices'), { denoms, day })) {
      prices.push(...chunk);
    }
    return prices;
  }

  /** A block as the chain made it; undefined where its raw block is not kept. */
  async block(height: number): Promise<FullBlock | undefined> {
    const range = rangeOf(rawFolder(this.dataDir, this.manifest.node_chain_id), height);
    if (!range) return undefined;
    for await (const block of readBlocks(this.database, range, height, height)) return block;
    return undefined;
  }
}
