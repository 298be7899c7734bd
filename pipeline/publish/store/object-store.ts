/**
 * An object store maps keys to bytes, and supports conditional writes. A folder and an S3 bucket have the same
 * interface. Operations on an unreachable store are repeated for a limited time (see Patience).
 */
import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { ConfigError } from '../../base/config-error.js';

export interface StoredObject {
  readonly body: Readable;
  /** Size of the whole object, even if only a range was requested. */
  readonly bytes: number;
  readonly etag: string;
}

export interface ObjectHead {
  readonly etag: string;
  readonly bytes: number;
  readonly modified: Date;
}

export interface ObjectFacts extends Omit<ObjectHead, 'etag'> {
  readonly key: string;
}

/** The bytes to write, or a range of a local file. */
export type Body = Uint8Array | { readonly path: string; readonly from?: number; readonly bytes: number };

/** `ifNoneMatch`: write only if the key does not exist. `ifMatch`: write only if the object has this ETag. */
export type Condition = { readonly ifNoneMatch: '*' } | { readonly ifMatch: string } | Record<never, never>;

export type Written = { readonly etag: string } | 'exists' | 'changed';

/** Keys are safe paths (`isSafePath`). Other keys are refused with a ConfigError. */
export interface ObjectStore {
  /** URL for log and error messages. */
  readonly url: string;
  /** Reads an object, starting at byte `from`. Returns undefined if the key does not exist. */
  get(key: string, from?: number): Promise<StoredObject | undefined>;
  put(key: string, body: Body, condition?: Condition): Promise<Written>;
  head(key: string): Promise<ObjectHead | undefined>;
  /** Yields the objects whose keys begin with the prefix, which ends with a slash. */
  list(prefix: string): AsyncIterable<ObjectFacts>;
  remove(key: string): Promise<void>;
}

/** Thrown if bytes do not match their hash. */
export class WrongBytesError extends ConfigError {}

/** Maximum number of downloads of an object whose bytes do not match its hash. */
const WRONG_BYTES_MAX = 3;

/** Repeats a download that throws WrongBytesError. */
export async function untilRight<Result>(fetch: () => Promise<Result>, say: (text: string) => void): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await fetch();
    } catch (error) {
      if (!(error instanceof WrongBytesError) || attempt === WRONG_BYTES_MAX) throw error;
      say(`${error.message}; fetching it again`);
    }
  }
}

/** Thrown if the store does not respond. A later attempt may succeed. */
export class StoreAway extends ConfigError {
  /** @param pauseMs minimum pause before the next attempt */
  constructor(
    message: string,
    readonly pauseMs = 0,
  ) {
    super(message);
  }
}

/** A transfer that receives fewer bytes in this time is ended. Its next attempt uses another connection. */
const SLOW = { ms: 60_000, bytes: 60_000 };

/**
 * Yields the chunks of a body.
 * @param place URL for error messages
 * @throws StoreAway if the connection is lost, or is too slow
 */
export async function* chunksOf(body: AsyncIterable<Buffer>, place: string, slow = SLOW): AsyncGenerator<Buffer> {
  let [since, bytes] = [performance.now(), 0];
  try {
    for await (const chunk of body) {
      bytes += chunk.length;
      if (performance.now() - since > slow.ms) {
        if (bytes < slow.bytes) throw new StoreAway(`${place} sends only ${bytes} bytes in ${slow.ms / 1000} s`);
        [since, bytes] = [performance.now(), 0];
      }
      yield chunk;
    }
  } catch (error) {
    if (error instanceof StoreAway) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    throw new StoreAway(`${place} ended the connection (${code ?? message})`);
  }
}

/** Limits how long operations are repeated while the store is unreachable. */
export interface Patience {
  readonly forMs: number;
  /** Logs a line when an operation must wait, then a line every minute. */
  readonly say: (text: string) => void;
  /** Logs a line when received bytes do not match their hash. Default: `say`. */
  readonly warn?: (text: string) => void;
}

/** A nightly run fails after the store has been unreachable for this time. */
export const STORE_PATIENCE_MS = 600_000;
const FIRST_PAUSE_MS = 250;
const PAUSE_MAX_MS = 30_000;
const SAY_INTERVAL_MS = 60_000;

/**
 * Repeats an operation with backoff as long as it throws StoreAway.
 * @param progress returns a number that grows while the operation makes progress; progress restarts the time limit
 */
export async function retrying<Result>(
  act: () => Promise<Result>,
  { forMs, say }: Patience,
  progress: () => number = () => 0,
): Promise<Result> {
  let began = performance.now();
  let warnedAt = Number.NEGATIVE_INFINITY;
  let reached = progress();
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, PAUSE_MAX_MS)) {
    try {
      return await act();
    } catch (error) {
      const now = performance.now();
      if (progress() > reached) [began, pause, reached] = [now, FIRST_PAUSE_MS, progress()];
      const left = began + forMs - now;
      if (!(error instanceof StoreAway) || left <= 0) throw error;
      if (now - warnedAt >= SAY_INTERVAL_MS) {
        warnedAt = now;
        say(`${error.message}; trying again for ${Math.ceil(left / 1000)} s`);
      }
      await wait(Math.min(Math.max(pause, error.pauseMs), left));
    }
  }
}

export interface Page {
  readonly objects: readonly ObjectFacts[];
  readonly next?: string | undefined;
}

export type Driver = Omit<ObjectStore, 'url' | 'list'> & { page(prefix: string, next?: string): Promise<Page> };

export const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;
