/**
 * Holds the generation (published version of the dataset) that the server uses. Replaces it when the file CURRENT names
 * another one. Closes the old generation after its last request, because reading a closed LMDB index would crash.
 * Prefers generations of this program version.
 */
import { existsSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import { type Follower, prepareBeside } from '../../../pipeline/publish/follow/follower.js';
import { currentFault, currentFile, currentGeneration } from '../../../pipeline/publish/generation.js';
import type { Reference } from '../../../pipeline/reference.js';
import { Problem } from '../../http/problem.js';
import { type Dataset, type OpenDataset, openDataset, withReference } from './dataset.js';

/** Interval at which the file CURRENT is read. A new generation must be served within 5 s. */
const REFRESH_EVERY_MS = 1000;
/** Retry-After before the first publication. A nightly run over the bundled sample takes a minute or two. */
const FIRST_NIGHT_SECONDS = 60;

/** Retry-After before the first generation has been fetched from an upstream. */
const FIRST_TRANSFER_SECONDS = 5;

export interface Lease {
  readonly dataset: Dataset;
  release(): void;
}

class Holder implements Lease {
  readonly closed: Promise<void>;
  private markClosed!: () => void;
  /** Number of running requests that use the generation, plus one while the generation is current. */
  private readers = 1;

  constructor(public dataset: OpenDataset) {
    this.closed = new Promise((resolve) => {
      this.markClosed = resolve;
    });
  }

  take(): Lease {
    this.readers++;
    return this;
  }

  release(): void {
    if (--this.readers === 0) void this.dataset.close().finally(this.markClosed);
  }
}

export interface DatasetsOptions {
  readonly dataDir: string;
  readonly reference: Reference;
  readonly log: Logger;
  /** Fetches generations from an upstream. Absent if nightly runs write to this data folder. */
  readonly follower?: Follower | undefined;
}

/**
 * Interval between attempts to prepare a generation that cannot be opened. Its files may still be incomplete, because
 * somebody is copying them.
 */
const PREPARE_INTERVAL_MS = 15_000;

export class Datasets {
  private holder: Holder | undefined;
  private timer: NodeJS.Timeout | undefined;
  private refused: string | undefined;
  private passedOver: string | undefined;
  private readonly open = new Set<Holder>();
  private readonly closing = new AbortController();
  /** The last attempt to prepare a generation that cannot be opened. */
  private preparing: { readonly generation: string; readonly at: number } | undefined;

  private current: Reference;

  constructor(private readonly options: DatasetsOptions) {
    this.current = options.reference;
  }

  get follower(): Follower | undefined {
    return this.options.follower;
  }

  get reviewed(): Reference {
    return this.options.reference;
  }

  /** The program's reviewed data, plus accepted disclosures of validators' countries. */
  get reference(): Reference {
    return this.current;
  }

  revise(reference: Reference): void {
    if (isDeepStrictEqual(reference.jurisdictions, this.current.jurisdictions)) return;
    this.current = reference;
    if (this.holder) this.holder.dataset = withReference(this.holder.dataset, reference);
  }

  async start(): Promise<void> {
    await this.refresh();
    this.timer = setInterval(() => void this.refresh(), REFRESH_EVERY_MS).unref();
  }

  /** Keeps the dataset open until the lease is released. @returns undefined if nothing is published */
  lease(): Lease | undefined {
    return this.holder?.take();
  }

  requireLease(): Lease {
    const lease = this.lease();
    if (lease) return lease;
    if (!this.follower) throw new Problem('unavailable', 'no dataset yet', { retryAfter: FIRST_NIGHT_SECONDS });
    const { upstream, fetched, error } = this.follower.state;
    const progress = error ?? `${Math.floor((fetched ?? 0) * 100)} % of it has come from ${upstream}`;
    throw new Problem('unavailable', `no dataset yet: ${progress}`, { retryAfter: FIRST_TRANSFER_SECONDS });
  }

  /** Opens the generation that CURRENT names. If it cannot be opened, the old one stays in use. */
  async refresh(): Promise<void> {
    const { dataDir, log } = this.options;
    const generation = currentGeneration(dataDir);
    const inHand = this.holder?.dataset;
    if (generation === undefined) return this.warnOfUnnamed();
    if (generation === this.passedOver || (generation === inHand?.generation && !inHand.isReplaced())) return;
    try {
      const dataset = openDataset(dataDir, generation, this.current);
      this.refused = undefined;
      if (inHand?.otherVersions.length === 0 && dataset.otherVersions.length > 0) return await this.passOver(dataset);
      this.swap(dataset);
      log.info({ generation, height: dataset.height }, 'serving generation');
    } catch (error) {
      if (this.refused !== generation) log.error({ generation, err: error }, 'generation cannot be opened');
      this.refused = generation;
      this.prepare(generation);
    }
  }

  /**
   * Checks a generation that somebody copied into the data folder, and builds its wallet index. This runs in a separate
   * process. Not needed with a follower, which prepares generations itself.
   */
  private prepare(generation: string): void {
    const { dataDir, log } = this.options;
    const now = performance.now();
    const before = this.preparing;
    if (this.follower || this.closing.signal.aborted) return;
    if (before && (before.at === Infinity || now - before.at < PREPARE_INTERVAL_MS)) return;
    this.preparing = { generation, at: Number.POSITIVE_INFINITY };
    void prepareBeside(dataDir, generation, this.closing.signal).then((reason) => {
      this.preparing = { generation, at: performance.now() };
      if (reason === undefined) log.info({ generation }, 'built the wallet index');
      else if (before?.generation !== generation) log.warn({ generation, reason }, 'waiting for a complete generation');
    });
  }

  private warnOfUnnamed(): void {
    const { dataDir, log } = this.options;
    const file = currentFile(dataDir);
    const reason = currentFault(dataDir);
    if (this.refused === '' || (reason === undefined && !existsSync(file))) return;
    if (reason === undefined) log.error({ file }, 'CURRENT names no generation; the next nightly run writes it again');
    else log.error({ file, reason }, 'CURRENT cannot be read: this user must be able to read the whole data folder');
    this.refused = '';
  }

  /** Skips a generation of another program version if a generation of this version is already open. */
  private async passOver({ generation, otherVersions, close }: OpenDataset): Promise<void> {
    this.passedOver = generation;
    this.options.log.warn({ generation, otherVersions }, 'generation of another program; serving the older one');
    await close();
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    this.closing.abort();
    this.follower?.close();
    this.holder?.release();
    this.holder = undefined;
    await Promise.all([...this.open].map((holder) => holder.closed));
  }

  private swap(dataset: OpenDataset): void {
    const old = this.holder;
    const holder = new Holder(dataset);
    this.holder = holder;
    this.open.add(holder);
    void holder.closed.then(() => this.open.delete(holder));
    old?.release();
  }
}
