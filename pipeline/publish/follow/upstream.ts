/**
 * Sources of generations: the `/datasets` endpoints of another server, or an object store. Every file is compared with
 * its SHA-256 before it gets its final name. An interrupted download continues where it stopped, even if the process
 * was killed.
 */
import { createHash, type Hash } from 'node:crypto';
import { createReadStream, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import pLimit from 'p-limit';
import { Agent, type Dispatcher, request } from 'undici';
import type { Manifest } from '../../../schemas/types.generated.js';
import { ConfigError } from '../../base/config-error.js';
import { harmless, quoted } from '../../base/json/quoted.js';
import { retryAfter } from '../../base/retry-after.js';
import type { Config } from '../../config.js';
import { readDeltaLog } from '../delta/delta-logs.js';
import { SIGNATURE, sealedFiles } from '../generation.js';
import { SIGNATURE_MAX_BYTES } from '../signature.js';
import { allOf } from '../store/content-store.js';
import { type Current, DatasetStore } from '../store/dataset-store.js';
import { chunksOf, type Patience, retrying, StoreAway, untilRight, WrongBytesError } from '../store/object-store.js';

export interface RemoteFile {
  readonly path: string;
  readonly bytes: number;
  /** The file's hash, or the first digits of the hash. */
  readonly sha256: string;
}

export interface OtherFiles {
  readonly files: readonly RemoteFile[];
  /** Texts that were in the same response as the list, by path. */
  readonly texts: ReadonlyMap<string, string>;
}

export interface Upstream {
  /** URL for log and error messages. */
  readonly url: string;
  /**
   * Fetches the id of the current generation. Does not retry.
   * @returns undefined if nothing is published
   */
  current(): Promise<string | undefined>;
  manifest(generation: string): Promise<string>;
  /** Fetches the signature of a manifest. @returns undefined if the manifest is not signed */
  signature(generation: string): Promise<string | undefined>;
  /**
   * Lists the files that belong to a generation but are not in its manifest. These are the Delta logs of its tables.
   */
  others(manifest: Manifest): Promise<OtherFiles>;
  /**
   * Downloads a file of a generation.
   * @throws WrongBytesError if the bytes do not match the hash, even after several attempts
   */
  file(generation: string, file: RemoteFile, to: string): Promise<void>;
  close(): Promise<void>;
}

/** Thrown if the upstream no longer has a generation, for example because a newer one replaced it. */
export class GoneError extends ConfigError {}

const CONNECT_MAX_MS = 10_000;
const SILENCE_MAX_MS = 30_000;
/** Limits of documents, which are kept in memory. Small JSON values need many times their bytes. */
interface Allowance {
  bytes: number;
  values: number;
}

/** A manifest with 10,000 files has 3 MB and 70,000 values. */
const MANIFEST_MAX: Allowance = { bytes: 16 * 2 ** 20, values: 1e6 };
/** Limits of all Delta logs of a generation together. The bytes also limit an object store's list of a generation's files. */
const LOGS_MAX: Allowance = { bytes: 64 * 2 ** 20, values: 2e6 };
const SIGNATURE_MAX: Allowance = { bytes: SIGNATURE_MAX_BYTES, values: SIGNATURE_MAX_BYTES };
/** Number of bytes read from an error or from a body without use. The connection is then closed. */
const SMALL_BODY_BYTES = 64 * 1024;
const SMALL_BODY_MAX_MS = 10_000;
const LOGS_AT_ONCE = 4;
/** Share of the server's quota that a transfer does not use. */
const QUOTA_LEFT = 0.25;
const QUOTA_PAUSE_MAX_MS = 60_000;

export class ServerUpstream implements Upstream {
  private readonly root: string;
  /** No request is sent before this time. */
  private resumeAt = 0;
  private readonly agent: Agent;

  /**
   * @param url base URL of the server
   * @param silenceMs time without a reply, or without a byte of a body, after which a request fails
   */
  constructor(
    readonly url: string,
    private readonly chain: string,
    private readonly patience: Patience,
    private readonly silenceMs = SILENCE_MAX_MS,
  ) {
    this.root = `${url}/datasets/${chain}`;
    this.agent = new Agent({ connect: { timeout: CONNECT_MAX_MS }, bodyTimeout: silenceMs });
  }

  async current(): Promise<string | undefined> {
    const { statusCode, headers, body } = await this.get('latest');
    await startOf(body);
    if (statusCode === 503) return undefined;
    const [, generation] = /\/(h\d{1,16}-[0-9a-f]{12})\/manifest\.json$/.exec(String(headers.location)) ?? [];
    if (generation !== undefined) return generation;
    const target = harmless(quoted(String(headers.location), 200)).slice(1, -1);
    throw new ConfigError(
      statusCode >= 300 && statusCode < 400
        ? `${this.url} redirects to ${target}: use that server's base URL`
        : `${this.root}/latest is not there (${statusCode}): is ${this.url} a hubledger server of ${this.chain}?`,
    );
  }

  manifest(generation: string): Promise<string> {
    return this.text(generation, 'manifest.json', { ...MANIFEST_MAX });
  }

  async signature(generation: string): Promise<string | undefined> {
    try {
      return await this.text(generation, SIGNATURE, { ...SIGNATURE_MAX });
    } catch (error) {
      if (error instanceof GoneError) return undefined;
      throw error;
    }
  }

  async others(manifest: Manifest): Promise<OtherFiles> {
    const { generation, tables } = manifest;
    const allowance = { ...LOGS_MAX };
    const read = (path: string) => this.text(generation, path, allowance);
    const damaged = (path: string) => new WrongBytesError(`${this.url} sent wrong bytes of ${generation}/${path}`);
    const say = this.patience.warn ?? this.patience.say;
    const limit = pLimit(LOGS_AT_ONCE);
    const logs = await allOf(
      tables.map(({ name }) => limit(() => untilRight(() => readDeltaLog(name, manifest, read, damaged), say))),
    );
    const files = new Map(logs.flatMap(({ earlier }) => earlier).map((file) => [file.path, file]));
    return { files: [...files.values()], texts: new Map(logs.flatMap(({ commits }) => [...commits])) };
  }

  /** @param allowance what may still be received for this document and others */
  private text(generation: string, path: string, allowance: Allowance): Promise<string> {
    return retrying(async () => {
      const body = await this.bodyOf(generation, path);
      const chunks: Buffer[] = [];
      for await (const chunk of chunksOf(body, this.url)) {
        allowance.bytes -= chunk.length;
        allowance.values -= valuesIn(chunk);
        if (Math.min(allowance.bytes, allowance.values) < 0)
          throw new ConfigError(`${this.root}/${generation}/${path} is too large`);
        chunks.push(chunk);
      }
      return Buffer.concat(chunks).toString();
    }, this.patience);
  }

  file(generation: string, file: RemoteFile, to: string): Promise<void> {
    return untilRight(() => this.fetchFile(generation, file, to), this.patience.warn ?? this.patience.say);
  }

  private async fetchFile(generation: string, file: RemoteFile, to: string): Promise<void> {
    const { path, sha256 } = file;
    mkdirSync(dirname(to), { recursive: true });
    const part = `${to}.${sha256.slice(0, 16)}.part`;
    const found = await this.download(generation, file, part);
    if (found.startsWith(sha256)) return renameSync(part, to);
    rmSync(part);
    throw new WrongBytesError(`${this.url} sent wrong bytes of ${generation}/${path}: SHA-256 ${found}, not ${sha256}`);
  }

  close(): Promise<void> {
    return this.agent.destroy();
  }

  /**
   * Downloads the missing rest of a file to `part`.
   * @returns the hash of the whole file
   */
  private async download(generation: string, { path, bytes }: RemoteFile, part: string): Promise<string> {
    let done = statSync(part, { throwIfNoEntry: false })?.size ?? 0;
    let hash: Hash = createHash('sha256');
    if (done > 0 && done <= bytes) await pipeline(createReadStream(part), hash, { end: false });
    const file = await open(part, 'a');
    const restart = async () => {
      await file.truncate(0);
      [done, hash] = [0, createHash('sha256')];
    };
    const fetchRest = async () => {
      if (done === bytes) return; // the connection ended after the last byte
      const body = await this.bodyOf(generation, path, done);
      if (body.from !== done) await restart();
      for await (const chunk of chunksOf(body, this.url)) {
        await file.writeFile(chunk);
        hash.update(chunk);
        done += chunk.length;
        if (done > bytes) return; // too many bytes; the caller detects this by the hash
      }
      if (done < bytes) throw new StoreAway(`${this.url} ended the connection early`);
    };
    try {
      if (done > bytes) await restart();
      if (done < bytes) await retrying(fetchRest, this.patience, () => done);
      return hash.digest('hex');
    } finally {
      await file.sync().finally(() => file.close());
    }
  }

  /** @returns the body of a file, and the position of its first byte */
  private async bodyOf(generation: string, path: string, from = 0): Promise<Body & { readonly from: number }> {
    const { statusCode, headers, body } = await this.get(
      `${generation}/${path}`,
      from > 0 ? { range: `bytes=${from}-` } : {},
    );
    if (statusCode === 200) return Object.assign(body, { from: 0 });
    const start = /^bytes (\d+)-/.exec(String(headers['content-range']))?.[1];
    if (statusCode === 206 && start !== undefined) return Object.assign(body, { from: Number(start) });
    await startOf(body);
    throw new GoneError(`${this.root}/${generation}/${path} is not there (${statusCode})`);
  }

  /** @throws StoreAway if the server does not respond, is overloaded or limits requests */
  private async get(path: string, headers: Record<string, string> = {}): Promise<Dispatcher.ResponseData> {
    await wait(Math.max(0, this.resumeAt - performance.now()));
    const url = `${this.root}/${path}`;
    // The timeout of undici does not end if the server sends interim replies such as 103 without end.
    const deadline = new AbortController();
    const late = new Error(`no answer within ${this.silenceMs / 1000} s`);
    const timer = setTimeout(() => deadline.abort(late), this.silenceMs);
    const reply = await request(url, { headers, dispatcher: this.agent, signal: deadline.signal })
      .catch((error) => {
        throw new StoreAway(`${this.url} does not answer (${reasonOf(error)}): check the URL and that server`);
      })
      .finally(() => clearTimeout(timer));
    const { statusCode, body } = reply;
    this.noteQuota(reply.headers);
    if (statusCode !== 429 && statusCode < 500) return reply;
    const detail = await detailOf(body);
    if (statusCode === 503 && detail?.startsWith('no dataset yet')) return reply;
    const pauseMs = retryAfter(String(reply.headers['retry-after'] ?? '1'));
    throw new StoreAway(`${this.url} answers with ${statusCode}${detail ? `: ${detail}` : ''}`, pauseMs);
  }

  /** Pauses until the next window of the server's quota if little is left, because others may share this address. */
  private noteQuota(headers: Dispatcher.ResponseData['headers']): void {
    const [, quota] = /;q=(\d+)/.exec(String(headers['ratelimit-policy'])) ?? [];
    const [, left, seconds] = /;r=(\d+);t=(\d+)/.exec(String(headers.ratelimit)) ?? [];
    if (Number(left) >= Number(quota) * QUOTA_LEFT || left === undefined || quota === undefined) return;
    this.resumeAt = performance.now() + Math.min(Number(seconds) * 1000, QUOTA_PAUSE_MAX_MS);
  }
}

type Body = Dispatcher.ResponseData['body'];

const reasonOf = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
};

const [COMMA, BRACKET, BRACE] = Buffer.from(',[{');

/** Returns about how many values a part of a JSON text has. */
function valuesIn(chunk: Buffer): number {
  let values = 0;
  for (const byte of chunk) if (byte === COMMA || byte === BRACKET || byte === BRACE) values++;
  return values;
}

/** Returns the first bytes of a body, and closes the connection if more is left. */
async function startOf(body: Body): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const timer = setTimeout(() => body.destroy(), SMALL_BODY_MAX_MS);
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > SMALL_BODY_BYTES) break;
    }
  } catch {
    // The connection has ended. The bytes received so far are returned.
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks).toString('utf8', 0, SMALL_BODY_BYTES);
}

/** Returns the member `detail` of a problem document (RFC 9457). */
async function detailOf(body: Body): Promise<string | undefined> {
  try {
    const { detail } = JSON.parse(await startOf(body)) as { readonly detail?: unknown };
    return typeof detail === 'string' ? harmless(quoted(detail, 200)).slice(1, -1) : undefined;
  } catch {
    return undefined;
  }
}

/** Reads generations from the object store to which nightly runs publish. */
export class StoreUpstream implements Upstream {
  readonly url: string;
  private inForce: Current | undefined;

  constructor(private readonly store: DatasetStore) {
    this.url = store.objects.url;
  }

  async current(): Promise<string | undefined> {
    const { current } = await this.store.readCurrent();
    this.inForce = current;
    return current?.generation;
  }

  manifest(generation: string): Promise<string> {
    if (this.inForce?.generation !== generation) throw new Error(`${generation} is not in force in ${this.url}`);
    return this.store.readManifest(this.inForce, MANIFEST_MAX.bytes);
  }

  signature(generation: string): Promise<string | undefined> {
    return this.store.readSignature(generation);
  }

  async others(manifest: Manifest): Promise<OtherFiles> {
    const listed = new Set(sealedFiles(manifest).map(({ path }) => path));
    const files = await this.store.readFiles(manifest.generation, LOGS_MAX.bytes);
    return { files: files.filter(({ path }) => !listed.has(path)), texts: new Map() };
  }

  file(_generation: string, { sha256, bytes }: RemoteFile, to: string): Promise<void> {
    return this.store.getObject(sha256, to, bytes);
  }

  async close(): Promise<void> {}
}

export async function openUpstream(
  { followUrl, storeUrl, s3Endpoint }: Pick<Config, 'followUrl' | 'storeUrl' | 's3Endpoint'>,
  chain: string,
  patience: Patience,
): Promise<Upstream> {
  if (followUrl !== undefined) return new ServerUpstream(followUrl, chain, patience);
  return new StoreUpstream(await DatasetStore.open(storeUrl!, s3Endpoint, patience));
}
