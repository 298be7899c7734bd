/** Writes the store that answers a wallet's request in one step: keys and texts as pipeline/ledger/wallet-pack.ts says. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { open, type RootDatabase } from 'lmdb';
import type { FlaggedReceipt, Price, PricedEvent } from '../../schemas/types.generated.js';
import { eventListBody } from '../ledger/event-list.js';
import { packFlagged } from '../ledger/flagged-pack.js';
import type { Rules } from '../ledger/rules.js';
import { packEvents, SEGMENT_ROWS, STORE_OPTIONS, STORED_ANSWER_ROWS, walletKey } from '../ledger/wallet-pack.js';
import type { WalletPiece } from './wallet-pieces.js';

const compress = promisify(gzip);
/** Answers being compressed at a time, on the threads beside this one. */
const COMPRESSING = 4;

/** The rows of one wallet on their way in; no more of them are held than a stored answer may have. */
interface OpenWallet {
  segments: number;
  rows: number;
  /** Rows of the segment that is filling. */
  filling: PricedEvent[];
  /** All rows, while they are few enough for a stored answer. */
  kept: PricedEvent[] | undefined;
}

const emptyWallet = (): OpenWallet => ({ segments: 0, rows: 0, filling: [], kept: [] });

export class WalletStoreWriter {
  private readonly store: RootDatabase<Buffer>;
  private readonly compressing = new Set<Promise<void>>();
  private wallet = emptyWallet();

  /** @param folder empty; not synced here but as a whole, before it gets its name */
  constructor(
    folder: string,
    private readonly rules: Rules,
  ) {
    this.store = open({ path: folder, ...STORE_OPTIONS, noSync: true });
  }

  /** Takes the next piece; a wallet's last piece brings its extent and its stored answer. */
  async add({ address, events, last }: WalletPiece): Promise<void> {
    const { wallet } = this;
    wallet.rows += events.length;
    if (wallet.rows > STORED_ANSWER_ROWS) wallet.kept = undefined;
    for (const event of events) {
      wallet.kept?.push(event);
      if (wallet.filling.push(event) === SEGMENT_ROWS) this.putSegment(address);
    }
    if (!last) return;
    if (wallet.filling.length > 0) this.putSegment(address);
    this.put(walletKey.extent(address), JSON.stringify({ rows: wallet.rows, segments: wallet.segments }));
    if (wallet.kept && !this.store.doesExist(walletKey.flagged(address))) await this.putAnswer(address, wallet.kept);
    this.wallet = emptyWallet();
  }

  /** Takes all flagged receipts, sorted by wallet. To be called before any wallet is added: a flagged one has no stored answer. */
  async addFlagged(batches: AsyncIterable<readonly FlaggedReceipt[]>): Promise<void> {
    let held: FlaggedReceipt[] = [];
    const put = () => {
      if (held[0]) this.put(walletKey.flagged(held[0].address), packFlagged(held));
      held = [];
    };
    for await (const batch of batches) {
      for (const receipt of batch) {
        if (held[0]?.address !== receipt.address) put();
        held.push(receipt);
      }
    }
    put();
    await this.store.committed;
  }

  /** Takes all published prices, sorted by denom and day. */
  addPrices(prices: readonly Price[]): void {
    const series = new Map<string, [day: string, usd: string][]>();
    for (const { denom, day, usd } of prices) {
      const days = series.get(denom) ?? [];
      series.set(denom, days);
      days.push([day, usd.toString()]);
    }
    for (const [denom, days] of series) this.put(walletKey.prices(denom), JSON.stringify(days));
  }

  async close(): Promise<void> {
    await Promise.all(this.compressing);
    await this.store.flushed;
    await this.store.close();
  }

  private put(key: (string | number)[], text: string): void {
    void this.store.put(key, Buffer.from(text));
  }

  private putSegment(address: string): void {
    const { wallet } = this;
    this.put(walletKey.segment(address, wallet.segments++), packEvents(wallet.filling));
    wallet.filling = [];
  }

  private async putAnswer(address: string, rows: readonly PricedEvent[]): Promise<void> {
    const answer = compress(eventListBody(address, rows, this.rules), { level: 6 }).then((body) => {
      void this.store.put(walletKey.events(address), body);
      this.compressing.delete(answer);
    });
    this.compressing.add(answer);
    if (this.compressing.size >= COMPRESSING) await Promise.race(this.compressing);
  }
}
