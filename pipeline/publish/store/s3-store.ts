import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { VariableError } from '../../base/config-error.js';
import { expectSafePath } from '../../base/disk/safe-path.js';
import { hideSdkWarning } from '../../config.js';
import {
  type Body,
  type Condition,
  codeOf,
  type Driver,
  type ObjectHead,
  type Page,
  StoreAway,
  type StoredObject,
  type Written,
} from './object-store.js';

/**
 * The members of @aws-sdk/client-s3 in use. The package's own types are missing if optional packages are not installed.
 */
interface Sdk {
  readonly S3Client: new (
    settings: object,
  ) => { send(command: object): Promise<S3Reply>; config: { region(): Promise<string> } };
  readonly GetObjectCommand: Command;
  readonly PutObjectCommand: Command;
  readonly HeadObjectCommand: Command;
  readonly ListObjectsV2Command: Command;
  readonly DeleteObjectCommand: Command;
}

type Command = new (input: Record<string, unknown>) => object;

interface S3Reply {
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

export class S3Store implements Driver {
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
    const reply = await this.send(this.sdk.GetObjectCommand, key, { Range }).catch((error) => {
      if (statusOf(error) !== BEYOND_END) throw error;
      return 'nothing left' as const;
    });
    if (reply === 'nothing left') {
      const head = await this.head(key);
      return head && { ...head, body: Readable.from([]) };
    }
    if (reply === undefined) return undefined;
    const size = reply.ContentRange?.split('/')[1] ?? reply.ContentLength;
    return { body: reply.Body!, bytes: Number(size), etag: reply.ETag! };
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
      const reply = await this.send(this.sdk.PutObjectCommand, key, input);
      return reply === undefined ? refused : { etag: reply.ETag! };
    } catch (error) {
      if (statusOf(error) === 412) return refused;
      throw error;
    }
  }

  async head(key: string): Promise<ObjectHead | undefined> {
    const reply = await this.send(this.sdk.HeadObjectCommand, key);
    return reply && { etag: reply.ETag!, bytes: reply.ContentLength ?? 0, modified: reply.LastModified! };
  }

  async page(prefix: string, next?: string): Promise<Page> {
    const { sdk, prefix: storePrefix } = this;
    const input = { Prefix: `${storePrefix}${prefix}`, ContinuationToken: next };
    const reply = await this.send(sdk.ListObjectsV2Command, undefined, input);
    const objects = (reply?.Contents ?? []).map(({ Key, Size, LastModified }) => ({
      key: Key.slice(storePrefix.length),
      bytes: Size,
      modified: LastModified,
    }));
    return { objects, next: reply?.NextContinuationToken };
  }

  async remove(key: string): Promise<void> {
    await this.send(this.sdk.DeleteObjectCommand, key);
  }

  /** @returns undefined if the key does not exist */
  private async send(Command: Command, key: string | undefined, input: object = {}): Promise<S3Reply | undefined> {
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
    // Without an error document in the reply, the client reports `Unknown: UnknownError`.
    const isUnknown = message === 'UnknownError' || !message;
    const named = isUnknown ? '' : `${name === 'Error' ? '' : `${name}: `}${message.split('\n')[0]}`;
    const reason = [status, named].filter(Boolean).join(', ') || code || 'no reason given';
    const setting = (text: string) => new VariableError(`HUBLEDGER_STORE_URL: ${text}`);
    if (name === 'NoSuchBucket') return setting(`there is no bucket ${this.bucket} at ${this.place}`);
    if (name === 'CredentialsProviderError')
      return setting('there are no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');
    if (CLOCK_ERROR.test(name)) {
      // The client corrects its time by the reply, so that a retry succeeds.
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
