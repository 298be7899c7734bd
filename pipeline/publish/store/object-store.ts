/**
 * An object store maps keys to bytes, and supports conditional writes. A folder and an S3 bucket have the same
 * interface. Operations on an unreachable store are repeated for a limited time (see Patience).
 */
import { constants, createReadStream } from 'node:fs';
import { copyFile, link, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ConfigError, VariableError } from '../../base/config-error.js';
import { makeFolder, unfinished } from '../../base/disk/atomic-files.js';
import { tryLock } from '../../base/disk/lock.js';
import { expectSafePath, joinSafely } from '../../base/disk/safe-path.js';
import { hideSdkWarning } from '../../config.js';

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
  readonly sayWrong?: (text: string) => void;
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
  let said = Number.NEGATIVE_INFINITY;
  let reached = progress();
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, PAUSE_MAX_MS)) {
    try {
      return await act();
    } catch (error) {
      const now = performance.now();
      if (progress() > reached) [began, pause, reached] = [now, FIRST_PAUSE_MS, progress()];
      const left = began + forMs - now;
      if (!(error instanceof StoreAway) || left <= 0) throw error;
      if (now - said >= SAY_INTERVAL_MS) {
        said = now;
        say(`${error.message}; trying again for ${Math.ceil(left / 1000)} s`);
      }
      await wait(Math.min(Math.max(pause, error.pauseMs), left));
    }
  }
}

/**
 * Opens the store at HUBLEDGER_STORE_URL.
 * @throws VariableError if the S3 driver is not installed
 */
export async function openObjectStore(
  url: string,
  s3Endpoint: string | undefined,
  patience: Patience,
): Promise<ObjectStore> {
  const store = url.startsWith('s3:') ? await S3Store.open(url, s3Endpoint) : new FileStore(url);
  const again = <Result>(act: () => Promise<Result>) =>
    retrying(() => act().catch((error) => Promise.reject(fileError(error, url))), patience);
  return {
    url,
    get: (key, from) => again(() => store.get(key, from)),
    put: (key, body, condition) => again(() => store.put(key, body, condition)),
    head: (key) => again(() => store.head(key)),
    async *list(prefix) {
      for (let page = await again(() => store.page(prefix)); ; ) {
        yield* page.objects;
        const { next } = page;
        if (next === undefined) return;
        page = await again(() => store.page(prefix, next));
      }
    },
    remove: (key) => again(() => store.remove(key)),
  };
}

interface Page {
  readonly objects: readonly ObjectFacts[];
  readonly next?: string | undefined;
}

type Driver = Omit<ObjectStore, 'url' | 'list'> & { page(prefix: string, next?: string): Promise<Page> };

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;

async function unlessMissing<Result>(act: Promise<Result>): Promise<Result | undefined> {
  try {
    return await act;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Codes of errors of a network file system that may end by themselves. */
const AWAY = new Set(['EIO', 'ESTALE', 'ENOTCONN', 'ETIMEDOUT', 'EHOSTDOWN']);

/** Converts an error of a `file:` store. Returns other errors unchanged. */
function fileError(error: unknown, url: string): unknown {
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (['EACCES', 'EPERM', 'EROFS'].includes(code)) {
    return new VariableError(
      `HUBLEDGER_STORE_URL: this user may not read or write ${url}: change its rights (${message})`,
    );
  }
  return AWAY.has(code) ? new StoreAway(`${url} does not answer (${message})`) : error;
}

const LOCK_POLL_MS = 50;

/**
 * Stores objects as files. A file is created by rename or hard link, so it is never partial. A write with `ifMatch`
 * holds a lock that other processes and machines respect. A key that passes through a symbolic link is refused.
 */
class FileStore implements Driver {
  private readonly root: string;
  private isThere = false;

  constructor(url: string) {
    this.root = fileURLToPath(url);
  }

  async get(key: string, from = 0): Promise<StoredObject | undefined> {
    const facts = await this.head(key);
    if (facts === undefined) return undefined;
    return { ...facts, body: createReadStream(this.pathOf(key), { start: from }) };
  }

  async put(key: string, body: Body, condition: Condition = {}): Promise<Written> {
    const path = this.pathOf(key);
    // The folder is created only once. Later it is missing if it was unmounted.
    if (this.isThere) await this.expectRoot();
    makeFolder(dirname(path));
    this.isThere = true;
    const aside = unfinished(path);
    try {
      await this.write(aside, body);
      const { mtimeNs, size, ino } = await stat(aside, { bigint: true });
      const written = { etag: etagOf({ mtimeNs, size, ino }) };
      if ('ifNoneMatch' in condition) return (await this.linkTo(aside, path)) ? written : 'exists';
      if (!('ifMatch' in condition)) {
        await rename(aside, path);
        return written;
      }
      return await this.locked(async () => {
        if ((await this.head(key))?.etag !== condition.ifMatch) return 'changed';
        await rename(aside, path);
        return written;
      });
    } finally {
      await rm(aside, { force: true });
    }
  }

  async head(key: string): Promise<ObjectHead | undefined> {
    const facts = await unlessMissing(stat(this.pathOf(key), { bigint: true }));
    // If the root folder is missing (for example unmounted), the store must not look empty.
    if (facts === undefined) await this.expectRoot();
    return facts && { etag: etagOf(facts), bytes: Number(facts.size), modified: facts.mtime };
  }

  async page(prefix: string): Promise<Page> {
    const entries = await unlessMissing(readdir(join(this.root, prefix), { recursive: true, withFileTypes: true }));
    if (entries === undefined) await this.expectRoot();
    const objects: ObjectFacts[] = [];
    for (const entry of entries ?? []) {
      if (!entry.isFile() || entry.name.startsWith('.')) continue;
      const path = join(entry.parentPath, entry.name);
      const facts = await unlessMissing(stat(path));
      const key = path.slice(this.root.length).replace(/^\//, '');
      if (facts) objects.push({ key, bytes: facts.size, modified: facts.mtime });
    }
    return { objects };
  }

  async remove(key: string): Promise<void> {
    await rm(this.pathOf(key), { force: true });
  }

  private pathOf(key: string): string {
    return joinSafely(this.root, key);
  }

  private async expectRoot(): Promise<void> {
    if ((await unlessMissing(stat(this.root))) === undefined) throw new StoreAway(`${this.root} does not exist`);
  }

  private async write(path: string, body: Body): Promise<void> {
    if (body instanceof Uint8Array) await writeFile(path, body);
    else if (body.from === undefined) await copyFile(body.path, path, constants.COPYFILE_FICLONE);
    else await writeFile(path, createReadStream(body.path, { start: body.from, end: body.from + body.bytes - 1 }));
    const file = await open(path);
    await file.sync().finally(() => file.close());
  }

  private async linkTo(from: string, to: string): Promise<boolean> {
    try {
      await link(from, to);
      return true;
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false;
    }
    // The file system does not support hard links.
    return this.locked(async () => {
      if ((await unlessMissing(stat(to))) !== undefined) return false;
      await rename(from, to);
      return true;
    });
  }

  private async locked<Result>(act: () => Promise<Result>): Promise<Result> {
    for (;;) {
      const attempt = await tryLock(join(this.root, '.writing'), 'store', () => {}).catch((error: Error) => {
        throw new VariableError(error.message.replace('HUBLEDGER_DATA_DIR', 'HUBLEDGER_STORE_URL'));
      });
      if ('holder' in attempt) await wait(LOCK_POLL_MS);
      else return await act().finally(attempt.release);
    }
  }
}

const etagOf = ({ ino, size, mtimeNs }: Record<'ino' | 'size' | 'mtimeNs', bigint>) => `"${ino}-${size}-${mtimeNs}"`;

/**
 * The members of @aws-sdk/client-s3 in use. The package's own types are missing if optional packages are not installed.
 */
interface Sdk {
  readonly S3Client: new (
    settings: object,
  ) => { send(command: object): Promise<S3Answer>; config: { region(): Promise<string> } };
  readonly GetObjectCommand: Command;
  readonly PutObjectCommand: Command;
  readonly HeadObjectCommand: Command;
  readonly ListObjectsV2Command: Command;
  readonly DeleteObjectCommand: Command;
}

type Command = new (input: Record<string, unknown>) => object;

interface S3Answer {
  readonly Body?: Readable;
  readonly ContentLength?: number;
  readonly ContentRange?: string;
  readonly ETag?: string;
  readonly LastModified?: Date;
  readonly Contents?: readonly { readonly Key: string; readonly Size: number; readonly LastModified: Date }[];
  readonly NextContinuationToken?: string;
}

interface S3Error extends Error {
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly code?: string;
}

/** Used for stores other than AWS, which accept any region. */
const DEFAULT_REGION = 'us-east-1';
const SDK: string = '@aws-sdk/client-s3';
/** Status of a range that begins at the end of an object or after it. */
const BEYOND_END = 416;
/** Names of errors of requests whose time differs too much from the store's clock. */
const CLOCK_ERROR = /^Request(TimeTooSkewed|Expired|InTheFuture)$/;
const SILENT = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };
const CONNECT_MAX_MS = 10_000;
const SILENCE_MAX_MS = 60_000;

class S3Store implements Driver {
  private constructor(
    private readonly sdk: Sdk,
    private readonly client: InstanceType<Sdk['S3Client']>,
    private readonly bucket: string,
    /** Prefix of all keys. It is empty, or ends with a slash. */
    private readonly prefix: string,
    private readonly place: string,
  ) {}

  static async open(url: string, endpoint: string | undefined): Promise<S3Store> {
    let sdk: Sdk;
    hideSdkWarning();
    try {
      sdk = await import(SDK);
    } catch (error) {
      if (codeOf(error) !== 'ERR_MODULE_NOT_FOUND') throw error;
      throw new VariableError(
        `HUBLEDGER_STORE_URL needs the package ${SDK}, which is not installed: run npm ci --include=optional`,
      );
    }
    const [, bucket, path] = /^s3:\/\/([^/]+)\/?(.*)$/.exec(url)!;
    const settings = {
      ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
      logger: SILENT,
      maxAttempts: 1, // retrying() repeats operations instead
      requestHandler: { connectionTimeout: CONNECT_MAX_MS, socketTimeout: SILENCE_MAX_MS },
    };
    let client = new sdk.S3Client(settings);
    try {
      await client.config.region();
    } catch {
      if (endpoint === undefined) throw new VariableError('HUBLEDGER_STORE_URL: there is no region: set AWS_REGION');
      client = new sdk.S3Client({ ...settings, region: DEFAULT_REGION });
    }
    return new S3Store(sdk, client, bucket!, path === '' ? '' : `${path}/`, endpoint ?? 'AWS');
  }

  async get(key: string, from = 0): Promise<StoredObject | undefined> {
    const Range = from > 0 ? `bytes=${from}-` : undefined;
    const answer = await this.send(this.sdk.GetObjectCommand, key, { Range }).catch((error) => {
      if (statusOf(error) !== BEYOND_END) throw error;
      return 'nothing left' as const;
    });
    if (answer === 'nothing left') {
      const head = await this.head(key);
      return head && { ...head, body: Readable.from([]) };
    }
    if (answer === undefined) return undefined;
    const size = answer.ContentRange?.split('/')[1] ?? answer.ContentLength;
    return { body: answer.Body!, bytes: Number(size), etag: answer.ETag! };
  }

  async put(key: string, body: Body, condition: Condition = {}): Promise<Written> {
    const input = {
      Body: body instanceof Uint8Array ? body : streamOf(body),
      ContentLength: body instanceof Uint8Array ? body.length : body.bytes,
      ...('ifNoneMatch' in condition && { IfNoneMatch: '*' }),
      ...('ifMatch' in condition && { IfMatch: condition.ifMatch }),
    };
    const refused = 'ifMatch' in condition ? 'changed' : 'exists';
    try {
      const answer = await this.send(this.sdk.PutObjectCommand, key, input);
      return answer === undefined ? refused : { etag: answer.ETag! };
    } catch (error) {
      if (statusOf(error) === 412) return refused;
      throw error;
    }
  }

  async head(key: string): Promise<ObjectHead | undefined> {
    const answer = await this.send(this.sdk.HeadObjectCommand, key);
    return answer && { etag: answer.ETag!, bytes: answer.ContentLength ?? 0, modified: answer.LastModified! };
  }

  async page(prefix: string, next?: string): Promise<Page> {
    const { sdk, prefix: own } = this;
    const input = { Prefix: `${own}${prefix}`, ContinuationToken: next };
    const answer = await this.send(sdk.ListObjectsV2Command, undefined, input);
    const objects = (answer?.Contents ?? []).map(({ Key, Size, LastModified }) => ({
      key: Key.slice(own.length),
      bytes: Size,
      modified: LastModified,
    }));
    return { objects, next: answer?.NextContinuationToken };
  }

  async remove(key: string): Promise<void> {
    await this.send(this.sdk.DeleteObjectCommand, key);
  }

  /** @returns undefined if the key does not exist */
  private async send(Command: Command, key: string | undefined, input: object = {}): Promise<S3Answer | undefined> {
    const object = key === undefined ? {} : { Key: `${this.prefix}${expectSafePath(key)}` };
    try {
      return await this.client.send(new Command({ Bucket: this.bucket, ...object, ...input }));
    } catch (error) {
      const { name, message } = error as S3Error;
      const status = statusOf(error);
      if (status === 404 && name !== 'NoSuchBucket') return undefined;
      if (status === 412 || status === BEYOND_END) throw error;
      throw this.errorOf(name, message, status, codeOf(error));
    }
  }

  private errorOf(name: string, message: string, status: number | undefined, code: string | undefined): Error {
    // Without an error document in the answer, the client reports `Unknown: UnknownError`.
    const isUnknown = message === 'UnknownError' || !message;
    const named = isUnknown ? '' : `${name === 'Error' ? '' : `${name}: `}${message.split('\n')[0]}`;
    const reason = [status, named].filter(Boolean).join(', ') || code || 'no reason given';
    const setting = (text: string) => new VariableError(`HUBLEDGER_STORE_URL: ${text}`);
    if (name === 'NoSuchBucket') return setting(`there is no bucket ${this.bucket} at ${this.place}`);
    if (name === 'CredentialsProviderError')
      return setting('there are no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');
    if (CLOCK_ERROR.test(name)) {
      // The client corrects its time by the answer, so that a retry succeeds.
      return new StoreAway(`the clocks of this machine and of ${this.place} differ, set this clock (${reason})`);
    }
    if (status !== undefined && status >= 300 && status < 400) {
      const elsewhere = 'check AWS_REGION and HUBLEDGER_S3_ENDPOINT';
      return setting(`${this.place} redirects requests for ${this.bucket}: ${elsewhere} (${reason})`);
    }
    if (status === 401 || status === 403) return setting(`${this.place} refuses the credentials (${reason})`);
    if (code === 'ENOTFOUND') return setting(`${this.place} does not exist (${reason})`);
    // 409: another write to the same key was in progress, so a retry may succeed.
    const isLasting = status !== undefined && status >= 400 && status < 500 && ![408, 409, 429].includes(status);
    if (isLasting || status === 501) return setting(`${this.place} refuses a request (${reason})`);
    return new StoreAway(`${this.place} does not answer (${reason})`);
  }
}

const statusOf = (error: unknown) => (error as S3Error).$metadata?.httpStatusCode;

const streamOf = ({ path, from = 0, bytes }: Exclude<Body, Uint8Array>) =>
  bytes === 0 ? Buffer.alloc(0) : createReadStream(path, { start: from, end: from + bytes - 1 });

/**
 * Writes small objects to check that the store supports conditional writes.
 * @throws VariableError if the store does not support them, or if the bucket or credentials are wrong
 */
export async function probe(store: ObjectStore): Promise<void> {
  const key = `probes/${process.pid}-${Date.now()}-${Math.random().toString(36).slice(2)}`;
  const write = (text: string, condition: Condition) => store.put(key, Buffer.from(text), condition);
  const lacks = new VariableError(
    `HUBLEDGER_STORE_URL: ${store.url} has no conditional writes (If-None-Match, If-Match)`,
  );
  try {
    const first = await write('1', { ifNoneMatch: '*' });
    if (typeof first === 'string') throw lacks;
    if ((await write('2', { ifNoneMatch: '*' })) !== 'exists') throw lacks;
    const second = await write('3', { ifMatch: first.etag });
    if (typeof second === 'string' || (await write('4', { ifMatch: first.etag })) !== 'changed') throw lacks;
  } finally {
    await store.remove(key);
  }
}
