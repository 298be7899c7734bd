/**
 * The store that answers a wallet's request in one step: derived from a generation's Parquet, which stays the truth. It is
 * rebuilt when it is missing or was made of something else.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { open, type RootDatabase } from 'lmdb';
import type { Price, PricedEvent } from '../../schemas/types.generated.js';
import { Database } from '../database.js';
import { eventListBody } from '../ledger/event-list.js';
import { packEvents, SEGMENT_ROWS, STORE_OPTIONS, STORED_ANSWER_ROWS, walletKey } from '../ledger/wallet-pack.js';
import type { Reference } from '../reference.js';
import { finishFolder, listFolder, removeUnfinished, unfinished } from './files.js';
import { generationDir, manifestFile, readManifest, storeDir, storesDir, tableFiles } from './generation.js';
import { walletPieces } from './wallet-pieces.js';

const compress = promisify(gzip);
/** Answers being compressed at a time, on the threads beside this one. */
const COMPRESSING = 4;

/** Where a store says what it was made of. */
const madeOfFile = (store: string) => join(store, 'made-of.sha256');

/** Hash of all that decides a store's bytes: the manifest, the reviewed data, and the program text that writes answers. */
function fingerprint(generation: string, reference: Reference): string {
  const hash = createHash('sha256').update(readFileSync(manifestFile(generation)));
  hash.update(JSON.stringify(reference));
  const ledger = join(import.meta.dirname, '../ledger');
  for (const file of listFolder(ledger)) {
    if (/\.(js|ts)$/.test(file)) hash.update(file).update(readFileSync(join(ledger, file)));
  }
  return hash.digest('hex');
}

/**
 * Sees to it that stores/<generation> is there and made of that generation.
 * @returns whether it had to be built
 */
export async function ensureWalletStore(dataDir: string, generation: string, reference: Reference): Promise<boolean> {
  const source = generationDir(dataDir, generation);
  const target = storeDir(dataDir, generation);
  const madeOf = fingerprint(source, reference);
  if (existsSync(madeOfFile(target)) && readFileSync(madeOfFile(target), 'utf8') === madeOf) return false;
  removeUnfinished(storesDir(dataDir));
  const folder = unfinished(target);
  mkdirSync(folder, { recursive: true });
  await buildWalletStore(source, folder, reference);
  writeFileSync(madeOfFile(folder), madeOf);
  rmSync(target, { recursive: true, force: true });
  finishFolder(folder, target);
  return true;
}

/** Fills a new LMDB environment in `folder` from the generation's folder `source`. */
async function buildWalletStore(source: string, folder: string, reference: Reference): Promise<void> {
  const manifest = readManifest(source);
  const database = await Database.open();
  // Not synced commit by commit: the folder is synced as a whole before it gets its name.
  const store: RootDatabase<Buffer> = open({ path: folder, ...STORE_OPTIONS, noSync: true });
  try {
    for (const table of ['priced_events', 'prices']) {
      await database.attach(table, tableFiles(source, manifest, table));
    }
    await storePrices(database, store);
    await storeWallets(database, store, reference);
    await store.flushed;
  } finally {
    await store.close();
    database.close();
  }
}

async function storePrices(database: Database, store: RootDatabase<Buffer>): Promise<void> {
  const series = new Map<string, [day: string, usd: string][]>();
  for await (const rows of database.sorted<Price>('prices')) {
    for (const { denom, day, usd } of rows) {
      const days = series.get(denom) ?? [];
      series.set(denom, days);
      days.push([day, usd.toString()]);
    }
  }
  for (const [denom, days] of series) store.put(walletKey.prices(denom), Buffer.from(JSON.stringify(days)));
}

/** Writes one wallet after the other: its segments as they fill, at its end its extent and its default answer. */
async function storeWallets(database: Database, store: RootDatabase<Buffer>, { rules }: Reference): Promise<void> {
  const compressing = new Set<Promise<void>>();
  let wallet = new WalletWriter(store);
  for await (const { address, events, last } of walletPieces(database)) {
    wallet.add(address, events);
    if (!last) continue;
    const rows = wallet.finish(address);
    wallet = new WalletWriter(store);
    if (!rows) continue;
    const answer = compress(eventListBody(address, rows, rules), { level: 6 }).then((body) => {
      store.put(walletKey.events(address), body);
      compressing.delete(answer);
    });
    compressing.add(answer);
    if (compressing.size >= COMPRESSING) await Promise.race(compressing);
  }
  await Promise.all(compressing);
}

/** The rows of one wallet on their way into the store. Holds at most what a stored answer may have. */
class WalletWriter {
  private segments = 0;
  private count = 0;
  private filling: PricedEvent[] = [];
  private kept: PricedEvent[] | undefined = [];

  constructor(private readonly store: RootDatabase<Buffer>) {}

  add(address: string, events: readonly PricedEvent[]): void {
    this.count += events.length;
    if (this.count > STORED_ANSWER_ROWS) this.kept = undefined;
    this.kept?.push(...events);
    for (const event of events) {
      if (this.filling.push(event) === SEGMENT_ROWS) this.flush(address);
    }
  }

  private flush(address: string): void {
    this.store.put(walletKey.segment(address, this.segments++), Buffer.from(packEvents(this.filling)));
    this.filling = [];
  }

  /** @returns the wallet's rows, or undefined when there are too many for a stored answer */
  finish(address: string): readonly PricedEvent[] | undefined {
    if (this.filling.length > 0) this.flush(address);
    const extent = { rows: this.count, segments: this.segments };
    this.store.put(walletKey.extent(address), Buffer.from(JSON.stringify(extent)));
    return this.kept;
  }
}
