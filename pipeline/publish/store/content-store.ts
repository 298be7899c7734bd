/**
 * Contents in an object store. The key of a content is its hash, so equal contents are stored once. Large contents are
 * split into parts.
 */
import { createHash, type Hash } from 'node:crypto';
import { statSync } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import pLimit from 'p-limit';
import { ConfigError } from '../../base/config-error.js';
import { fileSha256 } from '../../base/disk/atomic-files.js';
import { DAY_MS } from '../../base/values/day.js';
import {
  type Body,
  chunksOf,
  type ObjectStore,
  type Patience,
  retrying,
  StoreAway,
  untilRight,
  WrongBytesError,
} from './object-store.js';

/** Thrown if the store does not have an object that a list names. */
class MissingObject extends ConfigError {}

/** Returns true if the store lacks something, or has damaged bytes. */
export const isUnusable = (error: unknown): error is ConfigError =>
  error instanceof MissingObject || error instanceof WrongBytesError;

/** `path` is relative to a folder. */
export interface StoredFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Maximum size of an object. Larger files are split into parts. */
const OBJECT_MAX_BYTES = 128 * 2 ** 20;
/** Number of parallel uploads or downloads. */
const TRANSFERS = 8;
/** Limit of a text that is kept in memory, such as the list of an archive's files. */
const TEXT_MAX_BYTES = 256e6;

/** Objects that nothing names are kept for this time. */
export const OBJECT_KEPT_MS = 2 * DAY_MS;

const objectKey = (sha256: string) => `objects/${sha256}`;
const partsKey = (sha256: string) => `objects/${sha256}.parts`;

export const sha256Of = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex');

export const isHash = (value: unknown): value is string => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);

export class ContentStore {
  protected readonly transfer = pLimit(TRANSFERS);
  /** Modification time of each object by key; undefined until `listObjects` is called. */
  private listed: ReadonlyMap<string, Date> | undefined;
  /** Hashes that are in use. `sweep` does not remove the objects with these hashes. */
  private readonly kept = new Set<string>();
  /** Hashes of objects that were found to be damaged. They are written again. */
  private readonly spoiled = new Set<string>();

  constructor(
    readonly objects: ObjectStore,
    readonly patience: Patience,
    private readonly objectMax = OBJECT_MAX_BYTES,
  ) {}

  /** Lists all objects once, so that `putObject` need not query the store for each object. */
  async listObjects(): Promise<void> {
    const objects = await collect(this.objects.list('objects/'));
    this.listed = new Map(objects.map(({ key, modified }) => [key, modified]));
  }

  /** Marks hashes as in use, so that `sweep` keeps their objects. */
  keep(files: readonly StoredFile[]): void {
    for (const { sha256 } of files) this.kept.add(sha256);
  }

  /**
   * Stores a file under its hash, unless the store already has it.
   * @param known hash of the file, if the caller has it
   * @param overwrites if true, writes it also if it is stored already
   */
  async putObject(path: string, known?: string, overwrites = false): Promise<string> {
    const sha256 = known ?? (await fileSha256(path));
    if (overwrites) this.spoiled.add(sha256);
    const { size } = statSync(path);
    if (size <= this.objectMax) {
      await this.putContent(objectKey(sha256), sha256, { path, bytes: size });
      return sha256;
    }
    const parts: string[] = [];
    for (let from = 0; from < size; from += this.objectMax) {
      const bytes = Math.min(this.objectMax, size - from);
      const part = await fileSha256(path, from, from + bytes - 1);
      await this.putContent(objectKey(part), sha256, { path, from, bytes });
      parts.push(part);
    }
    await this.putContent(partsKey(sha256), sha256, Buffer.from(JSON.stringify(parts)));
    return sha256;
  }

  /** Writes an object again if it is damaged, or so old that a sweep may be about to remove it. */
  private putContent(key: string, sha256: string, body: Body): Promise<void> {
    return this.transfer(async () => {
      const modified = this.listed ? this.listed.get(key) : (await this.objects.head(key))?.modified;
      const isRecent = modified && Date.now() - modified.getTime() < OBJECT_KEPT_MS / 2;
      const isSafe = modified && !this.spoiled.has(sha256) && (this.kept.has(sha256) || isRecent);
      if (!isSafe) await this.objects.put(key, body, modified ? {} : { ifNoneMatch: '*' });
    });
  }

  /**
   * Writes the content with this hash to a file. Continues after a lost connection.
   * @param max maximum size in bytes
   * @throws ConfigError if the store does not have the content, or if its bytes do not match the hash
   */
  getObject(sha256: string, path: string, max = Number.POSITIVE_INFINITY): Promise<void> {
    const fetch = async () => {
      const hash = createHash('sha256');
      const allowance = { left: max };
      const read = (key: string) => this.readInto(key, path, hash, allowance);
      await rm(path, { force: true });
      const parts = (await read(objectKey(sha256))) ? [] : await this.partsOf(sha256);
      for (const part of parts) {
        if (!(await read(objectKey(part)))) throw this.missing(objectKey(part));
      }
      const found = hash.digest('hex');
      if (found === sha256) return;
      await rm(path, { force: true });
      throw this.damaged(objectKey(sha256), `its bytes have SHA-256 ${found}; `);
    };
    return this.transfer(() => untilRight(fetch, this.patience.warn ?? this.patience.say)).catch((error) => {
      if (error instanceof WrongBytesError) this.spoiled.add(sha256);
      throw error;
    });
  }

  protected async partsOf(sha256: string): Promise<string[]> {
    const found = await this.readText(partsKey(sha256));
    if (found === undefined) throw this.missing(objectKey(sha256));
    try {
      const parts: string[] = JSON.parse(found.text);
      if (parts.every(isHash)) return parts;
    } catch {} // as below
    throw this.damaged(partsKey(sha256));
  }

  protected missing = (key: string) => new MissingObject(`${this.objects.url} does not contain ${key}`);

  /**
   * Appends an object to a file.
   * @param allowance number of bytes that the file may still receive
   * @returns false if the object does not exist
   */
  private async readInto(key: string, path: string, hash: Hash, allowance: { left: number }): Promise<boolean> {
    let done = 0;
    await mkdir(dirname(path), { recursive: true });
    const file = await open(path, 'a');
    const read = async () => {
      const object = await this.objects.get(key, done);
      if (object === undefined) return false;
      for await (const chunk of chunksOf(object.body, this.objects.url)) {
        allowance.left -= chunk.length;
        if (allowance.left < 0) throw this.damaged(key, 'it is too large; ');
        await file.writeFile(chunk);
        hash.update(chunk);
        done += chunk.length;
      }
      if (done < object.bytes) throw new StoreAway(`${this.objects.url} ended the connection early`);
      return true;
    };
    return retrying(read, this.patience, () => done).finally(() => file.close());
  }

  async readText(
    key: string,
    max = TEXT_MAX_BYTES,
  ): Promise<{ readonly text: string; readonly etag: string } | undefined> {
    return retrying(async () => {
      const object = await this.objects.get(key);
      if (object === undefined) return undefined;
      const chunks: Buffer[] = [];
      let left = max;
      for await (const chunk of chunksOf(object.body, this.objects.url)) {
        left -= chunk.length;
        if (left < 0) throw this.damaged(key, 'it is too large; ');
        chunks.push(chunk);
      }
      const bytes = Buffer.concat(chunks);
      if (bytes.length < object.bytes) throw new StoreAway(`${this.objects.url} ended the connection early`);
      return { text: bytes.toString(), etag: object.etag };
    }, this.patience);
  }

  protected damaged = (key: string, why = '') =>
    new WrongBytesError(
      `${key} in ${this.objects.url} is damaged: ${why}remove it, then the next nightly run on the coordinator writes it again`,
    );
}

/** Waits until all transfers have ended, even if one fails. Otherwise they could write to files that the caller removes. */
export async function allOf<Result>(transfers: readonly Promise<Result>[]): Promise<Result[]> {
  await Promise.allSettled(transfers);
  return Promise.all(transfers);
}

/** Calls `act` for each value, a few at the same time. After an error, starts no further calls. */
export async function mapAll<Value>(
  values: readonly Value[],
  act: (value: Value) => Promise<unknown>,
  atOnce: number = TRANSFERS,
): Promise<void> {
  const limit = pLimit(atOnce);
  let hasFailed = false;
  const call = async (value: Value) => {
    if (hasFailed) return;
    await act(value).catch((error) => {
      hasFailed = true;
      throw error;
    });
  };
  await allOf(values.map((value) => limit(() => call(value))));
}

export async function collect<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const list: Value[] = [];
  for await (const value of values) list.push(value);
  return list;
}
