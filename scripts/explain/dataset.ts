/** Reads the published dataset for `hubledger explain`: rows, prices, and the blocks that the rows were made from. */
import { ConfigError } from '../../pipeline/base/config-error.js';
import { scratchFolder } from '../../pipeline/base/disk/lock.js';
import { Database } from '../../pipeline/base/duckdb/database.js';
import type { OpeningHoldings } from '../../pipeline/books/ledger/opening-coins.js';
import type { ChainEventRecord, FullBlock, Transaction } from '../../pipeline/chain/block.js';
import { rangeOf, rawFolder } from '../../pipeline/chain/raw-files.js';
import { readBlocks } from '../../pipeline/chain/read-blocks.js';
import type { Payment } from '../../pipeline/classify/classifier.js';
import { readPayments } from '../../pipeline/classify/payments.js';
import { cutBlock, cutTransaction, type Part } from '../../pipeline/classify/scopes.js';
import { attachOpeningHoldings } from '../../pipeline/publish/derived-tables.js';
import {
  generationDir,
  isUpToDate,
  publishedGeneration,
  readManifest,
  tableFiles,
} from '../../pipeline/publish/generation.js';
import type { Reference } from '../../pipeline/reference.js';
import { storedBlock, trackedWalletsFolder } from '../../pipeline/tracked-wallets/block-store.js';
import type { Manifest, OpeningBalance, Price, PricedEvent } from '../../schemas/types.generated.js';

const DAY_PRICES =
  'from prices where found and list_contains($denoms, denom) and day = cast($day as date) order by denom';

export interface Origin {
  readonly block: FullBlock;
  /** Undefined if the event belongs to the block itself. */
  readonly transaction: Transaction | undefined;
  /** The message or block phase that contains the event. */
  readonly part: Part | undefined;
  readonly index: number;
  readonly event: ChainEventRecord;
  /** Payments from or to the wallet in this message or phase. */
  readonly payments: readonly Payment[];
}

/** Returns place and event index from a row id, `<height>-<transaction index or block>-<event index>-<item>-<side>`. */
function placeOf(id: string): { place: string; index: number } {
  const [, place, index] = id.split('-');
  return { place: place!, index: Number(index) };
}

/** Returns true for rows that were computed from a starting state, which have no event. */
export const restsOnState = ({ id }: Pick<PricedEvent, 'id'>): boolean => id.includes('-block-state-');

/**
 * Finds a row's event in its block. Returns undefined if the row has no event.
 * @throws Error if the block does not contain the event
 */
function originOf({ id, address }: PricedEvent, block: FullBlock): Origin | undefined {
  if (restsOnState({ id })) return undefined;
  const { place, index } = placeOf(id);
  const transaction = place === 'block' ? undefined : block.transactions[Number(place)];
  const event = (transaction ?? block).events[index];
  if (!event) throw new Error(`block ${block.height} has no event ${index} at ${place}`);
  const parts = transaction ? cutTransaction(transaction) : cutBlock(block.events);
  const part = parts.find(({ events, bank }) => [...events, ...bank].some((other) => other.index === index));
  const payments = readPayments(part?.bank ?? []).filter(({ from, to }) => from === address || to === address);
  return { block, transaction, part, index, event, payments };
}

export class PublishedDataset {
  private constructor(
    private readonly dataDir: string,
    private readonly database: Database,
    readonly manifest: Manifest,
  ) {}

  /** @throws ConfigError if this version of the program has not published a dataset */
  static async open(dataDir: string, reference: Reference): Promise<PublishedDataset> {
    const generation = publishedGeneration(dataDir);
    const folder = generationDir(dataDir, generation);
    const manifest = readManifest(folder);
    if (!isUpToDate(dataDir, reference))
      throw new ConfigError(`${generation} is of another version: run ./hubledger nightly first`);
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

  async rows(address: string): Promise<PricedEvent[]> {
    const rows: PricedEvent[] = [];
    const chunks = this.database.rows<PricedEvent>(
      'priced_events',
      'from priced_events where address = $address order by height, position',
      { address },
    );
    for await (const chunk of chunks) rows.push(...chunk);
    return rows;
  }

  /** Returns the wallet's coins before the index, in base units by denom; undefined without a starting state. */
  async opening(address: string): Promise<OpeningHoldings> {
    if (!this.manifest.tables.some(({ name }) => name === 'opening_balances')) return undefined;
    const held = new Map<string, bigint>();
    const chunks = this.database.rows<OpeningBalance>(
      'opening_balances',
      'from opening_holdings where address = $address order by denom',
      { address },
    );
    for await (const chunk of chunks) for (const { denom, amount } of chunk) held.set(denom, amount);
    return held;
  }

  async prices(denoms: readonly string[], day: string): Promise<Price[]> {
    const prices: Price[] = [];
    for await (const chunk of this.database.rows<Price>('prices', DAY_PRICES, { denoms, day })) {
      prices.push(...chunk);
    }
    return prices;
  }

  /** Returns the event of a row; undefined if the row has no event, or if its block is not stored. */
  async origin(row: PricedEvent): Promise<Origin | undefined> {
    const { own_wallets, node_chain_id } = this.manifest;
    if (own_wallets) {
      const block = await storedBlock(this.database, trackedWalletsFolder(this.dataDir, node_chain_id), row.height);
      return block && originOf(row, block);
    }
    const range = rangeOf(rawFolder(this.dataDir, node_chain_id), row.height);
    if (!range) return undefined;
    for await (const block of readBlocks(this.database, range, row.height, row.height)) return originOf(row, block);
    return undefined;
  }
}
