/**
 * The dataset holder: it has the generation in hand. A new CURRENT is opened beside the old one and takes its place in one step; the
 * old one is closed when the last request that reads it has ended, because a closed LMDB environment must not be read. A generation
 * made under other versions than this program's is taken only while there is none of this program's.
 */
import { existsSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import { currentFault, currentFile, currentGeneration } from '../../pipeline/publish/generation.js';
import type { Reference } from '../../pipeline/reference.js';
import { Problem } from '../problem.js';
import { type Dataset, type OpenDataset, openDataset, withReference } from './dataset.js';

/** Time between two looks at CURRENT: a new generation is served within 5 s of its publication. */
const REFRESH_EVERY_MS = 1000;
/** Seconds after which a first dataset may be there: the night of a sample takes a minute or two. */
const FIRST_NIGHT_SECONDS = 60;

/** A dataset that stays open until it is released. */
export interface Lease {
  readonly dataset: Dataset;
  release(): void;
}

class Holder implements Lease {
  /** Resolves when the wallet index is closed. */
  readonly closed: Promise<void>;
  private markClosed!: () => void;
  /** Requests that read it, and the server as long as it is the one in hand. */
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
  /** The program's own reviewed data. */
  readonly reference: Reference;
  readonly log: Logger;
}

export class Datasets {
  private holder: Holder | undefined;
  private timer: NodeJS.Timeout | undefined;
  /** The id that could not be opened, so that one fault is one line in the log. */
  private refused: string | undefined;
  /** The id that was passed over, because figures of it are refused and those of the one in hand are not. */
  private passedOver: string | undefined;
  private readonly open = new Set<Holder>();

  private current: Reference;

  constructor(private readonly options: DatasetsOptions) {
    this.current = options.reference;
  }

  /** The program's own reviewed data. */
  get reviewed(): Reference {
    return this.options.reference;
  }

  /** The reviewed data in force: the program's own with what the operator has accepted beside it. */
  get reference(): Reference {
    return this.current;
  }

  /** Answers by this registry of jurisdictions from now on; requests under way keep theirs. */
  revise(reference: Reference): void {
    if (isDeepStrictEqual(reference.jurisdictions, this.current.jurisdictions)) return;
    this.current = reference;
    if (this.holder) this.holder.dataset = withReference(this.holder.dataset, reference);
  }

  /** Takes the published generation, if there is one, and looks for a newer one from now on. */
  async start(): Promise<void> {
    await this.refresh();
    this.timer = setInterval(() => void this.refresh(), REFRESH_EVERY_MS).unref();
  }

  /** Leases the dataset to one request, or undefined while nothing is published. It is released when the answer is out. */
  lease(): Lease | undefined {
    return this.holder?.take();
  }

  /** Leases the dataset to a request that needs one. @throws Problem unavailable while nothing is published */
  requireLease(): Lease {
    const lease = this.lease();
    if (lease) return lease;
    throw new Problem('unavailable', 'no dataset that can be served is published yet', {
      retryAfter: FIRST_NIGHT_SECONDS,
    });
  }

  /** Compares CURRENT with the generation in hand. What cannot be opened leaves the old one in place. */
  async refresh(): Promise<void> {
    const { dataDir, log } = this.options;
    const generation = currentGeneration(dataDir);
    const inHand = this.holder?.dataset;
    if (generation === undefined) return this.sayUnnamed();
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
    }
  }

  /** Says once that CURRENT is there, but cannot be read, or names no generation. */
  private sayUnnamed(): void {
    const { dataDir, log } = this.options;
    const file = currentFile(dataDir);
    const reason = currentFault(dataDir);
    if (this.refused === '' || (reason === undefined && !existsSync(file))) return;
    if (reason === undefined) log.error({ file }, 'CURRENT names no generation; the next night writes it anew');
    else log.error({ file, reason }, 'CURRENT cannot be read: this user must be able to read the whole data folder');
    this.refused = '';
  }

  /** Passes over what a newer program's night has published while this one serves: the dataset in hand lasts as long as the program. */
  private async passOver({ generation, otherVersions, close }: OpenDataset): Promise<void> {
    this.passedOver = generation;
    this.options.log.warn({ generation, otherVersions }, 'generation of another program; serving the older one');
    await close();
  }

  /** Stops looking and closes what is open, after its last reader. */
  async close(): Promise<void> {
    clearInterval(this.timer);
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
