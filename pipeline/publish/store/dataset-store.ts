/**
 * Reads and writes generations and pieces in an object store. The key of a content is its hash, so equal contents are
 * stored once. CURRENT names the current generation. A nightly run may replace CURRENT only if it has not changed since
 * the run read it.
 */
import { createHash, type Hash, randomBytes, randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pLimit from 'p-limit';
import { ConfigError, DifferentPieces, RunningError } from '../../base/config-error.js';
import { fileSha256, removeFolder, unfinished } from '../../base/disk/atomic-files.js';
import { isSafePath } from '../../base/disk/safe-path.js';
import { damagedFile, readSums, sealFolder } from '../../base/disk/sealed-folder.js';
import { isGenerationId, SIGNATURE } from '../generation.js';
import { SIGNATURE_MAX_BYTES } from '../signature.js';
import {
  type Body,
  chunksOf,
  type ObjectFacts,
  type ObjectStore,
  openObjectStore,
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

/** Thrown if CURRENT has changed since the nightly run read it. The command then ends with exit code 3. */
export class OvertakenError extends ConfigError {}

/** `path` is relative to a folder. */
export interface StoredFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** A piece (a step's results for one month) in a local folder. */
export interface LocalPiece {
  readonly step: string;
  readonly key: string;
  readonly folder: string;
  /** True if this run made the piece. */
  readonly isNew: boolean;
}

/** Signs lists of files, and checks their signatures. */
export interface ListSigner {
  sign(text: string): string;
  isSigned(text: string, signature: unknown): boolean;
}

/** Content of the object CURRENT. */
export interface Current {
  readonly generation: string;
  readonly manifest_etag: string;
  readonly manifest_sha256: string;
  /** RFC 3339. */
  readonly at: string;
}

/** CURRENT when the nightly run read it. Both members are undefined if nothing is published. */
export interface ReadCurrent {
  readonly current: Current | undefined;
  readonly etag: string | undefined;
}

/** Maximum size of an object. Larger files are split into parts. */
const OBJECT_MAX_BYTES = 128 * 2 ** 20;
/** Number of parallel uploads or downloads. */
const TRANSFERS = 8;
const CURRENT = 'CURRENT';
const ARCHIVE = 'archive.json';
const ID = 'id';
const LEASE = 'locks/night';

export interface LeaseTimes {
  readonly renewMs: number;
  /** Another run may take over a lease that has not been renewed for this time. */
  readonly staleMs: number;
}

const LEASE_TIMES: LeaseTimes = { renewMs: 10_000, staleMs: 30_000 };

/** Limit of a text that is kept in memory, such as the list of an archive's files. */
const TEXT_MAX_BYTES = 256e6;

const DAY_MS = 86_400_000;
const OBJECT_KEPT_MS = 2 * DAY_MS;
const PIECE_KEPT_MS = 7 * DAY_MS;
const KEPT_GENERATIONS = 3;

const objectKey = (sha256: string) => `objects/${sha256}`;
const partsKey = (sha256: string) => `objects/${sha256}.parts`;
const pieceKey = (step: string, key: string) => `pieces/${step}/${key}.json`;
const filesKey = (generation: string) => `generations/${generation}/files.json`;
const manifestKey = (generation: string) => `generations/${generation}/manifest.json`;
const signatureKey = (generation: string) => `generations/${generation}/${SIGNATURE}`;

const sha256Of = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex');

export class DatasetStore {
  private readonly transfer = pLimit(TRANSFERS);
  /** Modification time of each object by key; undefined until `listObjects` is called. */
  private listed: ReadonlyMap<string, Date> | undefined;
  /** Hashes that are in use. `sweep` does not remove the objects with these hashes. */
  private readonly kept = new Set<string>();
  /** Hashes of objects that were found to be damaged. They are written again. */
  private readonly spoiled = new Set<string>();

  constructor(
    readonly objects: ObjectStore,
    private readonly patience: Patience,
    private readonly objectMax = OBJECT_MAX_BYTES,
  ) {}

  static async open(url: string, s3Endpoint: string | undefined, patience: Patience): Promise<DatasetStore> {
    return new DatasetStore(await openObjectStore(url, s3Endpoint, patience), patience);
  }

  /** Returns the id of this store. The first caller creates it, so that other stores have other ids. */
  async makeId(): Promise<string> {
    const known = await this.readId();
    if (known !== undefined) return known;
    await this.objects.put(ID, Buffer.from(`${randomBytes(8).toString('hex')}\n`), { ifNoneMatch: '*' });
    return (await this.readId())!;
  }

  /** @returns undefined if no nightly run has used this store with a queue */
  async readId(): Promise<string | undefined> {
    const id = (await this.readText(ID))?.text.trimEnd();
    if (id === undefined || /^[0-9a-f]{16}$/.test(id)) return id;
    throw this.damaged(ID);
  }

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
    return this.transfer(() => untilRight(fetch, this.patience.sayWrong ?? this.patience.say)).catch((error) => {
      if (error instanceof WrongBytesError) this.spoiled.add(sha256);
      throw error;
    });
  }

  private async partsOf(sha256: string): Promise<string[]> {
    const found = await this.readText(partsKey(sha256));
    if (found === undefined) throw this.missing(objectKey(sha256));
    try {
      const parts: string[] = JSON.parse(found.text);
      if (parts.every(isHash)) return parts;
    } catch {} // as below
    throw this.damaged(partsKey(sha256));
  }

  private missing = (key: string) => new MissingObject(`${this.objects.url} does not contain ${key}`);

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

  private async readText(
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

  /**
   * Stores the files of a sealed folder, and after them the list of these files.
   * @param overwrites if true, writes also files that are stored already
   * @param signer signs the list
   * @throws DifferentPieces if the store has other files under this key
   */
  async putPiece(
    step: string,
    key: string,
    folder: string,
    { overwrites = false, signer }: { readonly overwrites?: boolean; readonly signer?: ListSigner } = {},
  ): Promise<void> {
    const files = filesOfPiece(folder);
    await Promise.all(files.map(({ path, sha256 }) => this.putObject(join(folder, path), sha256, overwrites)));
    const place = pieceKey(step, key);
    const text = JSON.stringify({ files, signature: signer?.sign(listText(place, files)) });
    if ((await this.objects.put(place, Buffer.from(text), { ifNoneMatch: '*' })) !== 'exists') return;
    const before = await this.readPiece(step, key, signer).catch(undefinedIfUnusable);
    if (before === undefined || JSON.stringify(before) === JSON.stringify(files)) {
      // The write renews the modification time, so that no sweep removes the piece.
      await this.objects.put(place, Buffer.from(text));
      return;
    }
    const [old, now] = [before, files].map((list) => new Map(list.map(({ path, sha256 }) => [path, sha256])));
    const path = [...old!.keys(), ...now!.keys()].sort().find((name) => old!.get(name) !== now!.get(name));
    const hashes = `${old!.get(path!) ?? 'no file'} before, ${now!.get(path!) ?? 'no file'} now`;
    throw new DifferentPieces(`${place} in ${this.objects.url}: ${path} has other bytes under the same key: ${hashes}`);
  }

  /**
   * Stores pieces that are missing in the store. Stores old pieces again every few days, so that no sweep removes them.
   */
  async putPieces(pieces: readonly LocalPiece[], now = Date.now()): Promise<void> {
    const times = new Map<string, number>();
    for await (const { key, modified } of this.objects.list('pieces/')) times.set(key, modified.getTime());
    const isRecent = ({ step, key }: LocalPiece) => now - (times.get(pieceKey(step, key)) ?? 0) < PIECE_KEPT_MS / 2;
    const due = pieces.filter((piece) => piece.isNew || !isRecent(piece));
    await mapAll(due, ({ step, key, folder }) => this.putPiece(step, key, folder));
  }

  /**
   * Returns the files of a piece; undefined if the store does not have the piece.
   * @param signer must have signed the list
   */
  async readPiece(step: string, key: string, signer?: ListSigner): Promise<StoredFile[] | undefined> {
    const found = await this.readText(pieceKey(step, key));
    return found && this.filesIn(pieceKey(step, key), found.text, signer);
  }

  /** Returns true if the store has a usable list of the piece's files. */
  async hasPiece(step: string, key: string, signer: ListSigner): Promise<boolean> {
    return (await this.readPiece(step, key, signer).catch(undefinedIfUnusable)) !== undefined;
  }

  /**
   * Parses a stored list of files.
   * @throws WrongBytesError if the text is not a list of files below a folder, or is not signed
   */
  private filesIn(key: string, text: string, signer?: ListSigner): StoredFile[] {
    const list = parseList(text);
    if (list === undefined) throw this.damaged(key);
    const { files, signature } = list;
    if (signer?.isSigned(listText(key, files), signature) === false)
      throw this.damaged(key, 'it has no signature of HUBLEDGER_QUEUE_KEY; ');
    return files;
  }

  private damaged = (key: string, why = '') =>
    new WrongBytesError(
      `${key} in ${this.objects.url} is damaged: ${why}remove it, then the next nightly run on the coordinator writes it again`,
    );

  /**
   * Writes a piece to a sealed folder, which appears only when it is complete.
   * @param signer must have signed the list of the piece's files
   * @returns false if the store does not have the piece, or if one of its objects is missing or damaged
   */
  async getPiece(step: string, key: string, folder: string, signer?: ListSigner): Promise<boolean> {
    const making = unfinished(folder);
    try {
      const files = await this.readPiece(step, key, signer);
      if (files === undefined) return false;
      await mkdir(making, { recursive: true });
      await allOf(files.map(({ path, sha256 }) => this.getObject(sha256, join(making, path))));
      if ((await damagedFile(folder)) !== undefined) {
        removeFolder(folder);
        await sealFolder(making, folder);
      }
      return true;
    } catch (error) {
      if (!isUnusable(error)) throw error;
      if (error instanceof WrongBytesError) this.patience.say(`${error.message}; ${step} ${key} is made again`);
      return false;
    } finally {
      await rm(making, { recursive: true, force: true });
    }
  }

  /**
   * Stores a manifest. Its files must already be stored.
   * @throws DifferentPieces if the store has another manifest for this generation
   */
  async putManifest(generation: string, text: string): Promise<Pick<Current, 'manifest_etag' | 'manifest_sha256'>> {
    const key = manifestKey(generation);
    const written = await this.objects.put(key, Buffer.from(text), { ifNoneMatch: '*' });
    if (typeof written !== 'string') return { manifest_etag: written.etag, manifest_sha256: sha256Of(text) };
    const before = (await this.readText(key))!;
    if (before.text !== text)
      throw new DifferentPieces(
        `${key} in ${this.objects.url} has other bytes under the same key: ${sha256Of(before.text)} before, ${sha256Of(text)} now`,
      );
    return { manifest_etag: before.etag, manifest_sha256: sha256Of(text) };
  }

  /** Stores the list of a generation's files. It also contains the Delta logs, which are not in the manifest. */
  async putFiles(generation: string, files: readonly StoredFile[]): Promise<void> {
    await this.objects.put(filesKey(generation), Buffer.from(JSON.stringify({ files })));
  }

  /**
   * @param max maximum size of the list in bytes
   * @throws ConfigError if the store does not have the generation
   */
  async readFiles(generation: string, max?: number): Promise<StoredFile[]> {
    const found = await this.readText(filesKey(generation), max);
    if (found === undefined) throw this.missing(filesKey(generation));
    return this.filesIn(filesKey(generation), found.text);
  }

  /** Returns the list of files that nightly runs store in addition to pieces: raw blocks, prices and holdings. */
  async readArchive(): Promise<{ readonly files: readonly StoredFile[]; readonly etag: string | undefined }> {
    const found = await this.readText(ARCHIVE);
    return found ? { files: this.filesIn(ARCHIVE, found.text), etag: found.etag } : { files: [], etag: undefined };
  }

  /** Replaces the archive's list. @throws OvertakenError if the list has changed since it was read with this ETag */
  async swapArchive(etag: string | undefined, files: readonly StoredFile[]): Promise<void> {
    const written = await this.swap(ARCHIVE, etag, JSON.stringify({ run: randomUUID(), files }));
    if (written === 'changed') throw overtaken(this.objects.url, (await this.readCurrent()).current);
  }

  /** Writes a key only if it still has this ETag, or does not exist if `etag` is undefined. */
  private async swap(key: string, etag: string | undefined, text: string): Promise<'changed' | undefined> {
    const condition = etag === undefined ? { ifNoneMatch: '*' as const } : { ifMatch: etag };
    const written = await this.objects.put(key, Buffer.from(text), condition);
    // If the key already has this text, an earlier attempt succeeded and only its response was lost.
    return typeof written !== 'string' || (await this.readText(key))?.text === text ? undefined : 'changed';
  }

  /**
   * Returns the text of the current manifest.
   * @param max maximum size in bytes
   * @throws ConfigError if the manifest is missing, or does not match the hash in CURRENT
   */
  async readManifest({ generation, manifest_sha256 }: Current, max?: number): Promise<string> {
    const key = manifestKey(generation);
    const found = await this.readText(key, max);
    if (found === undefined) throw this.missing(key);
    const sha256 = sha256Of(found.text);
    if (sha256 === manifest_sha256) return found.text;
    throw this.damaged(key, `its bytes have SHA-256 ${sha256}; `);
  }

  /** Stores the signature of a manifest. Replaces a signature of another key. */
  async putSignature(generation: string, signature: string): Promise<void> {
    await this.objects.put(signatureKey(generation), Buffer.from(signature));
  }

  /** Returns undefined if the generation is not signed. */
  async readSignature(generation: string): Promise<string | undefined> {
    return (await this.readText(signatureKey(generation), SIGNATURE_MAX_BYTES))?.text;
  }

  async readCurrent(): Promise<ReadCurrent> {
    const found = await this.readText(CURRENT);
    if (found === undefined) return { current: undefined, etag: undefined };
    try {
      const { generation, manifest_etag, manifest_sha256, at } = JSON.parse(found.text);
      if (typeof generation === 'string' && isGenerationId(generation) && isHash(manifest_sha256))
        return { current: { generation, manifest_etag, manifest_sha256, at }, etag: found.etag };
    } catch {} // throws the error below
    throw this.damaged(CURRENT);
  }

  /**
   * Replaces CURRENT.
   * @param read CURRENT at the start of the nightly run
   * @throws OvertakenError if CURRENT has changed since then
   */
  async swapCurrent(read: ReadCurrent, next: Current): Promise<void> {
    if ((await this.swap(CURRENT, read.etag, `${JSON.stringify(next)}\n`)) === 'changed')
      throw overtaken(this.objects.url, (await this.readCurrent()).current);
  }

  /** @throws OvertakenError if CURRENT has changed since the nightly run read it */
  async expectCurrent({ etag }: ReadCurrent): Promise<void> {
    const now = await this.readCurrent();
    if (now.etag !== etag) throw overtaken(this.objects.url, now.current);
  }

  /**
   * Takes the lease of nightly runs, and renews it until it is released. The lease only avoids useless work.
   * Publication is safe without it, because of `swapCurrent`.
   * @param folder id of the locked data folder; a lease with the same id belongs to a killed run, so it is taken over
   * @throws RunningError if another run is renewing its lease
   */
  async takeLease(folder: string, times: LeaseTimes = LEASE_TIMES): Promise<() => Promise<void>> {
    const id = randomUUID();
    const text = (beat: number) =>
      Buffer.from(JSON.stringify({ holder: `process ${process.pid} on ${hostname()}`, folder, id, beat }));
    let etag = await this.firstLease(text(0), folder, times);
    let [beat, beating] = [0, Promise.resolve()];
    const renew = async () => {
      const written = await this.objects.put(LEASE, text(++beat), { ifMatch: etag });
      if (typeof written !== 'string') etag = written.etag;
      else if ((await this.readLease())?.id !== id) {
        clearInterval(timer);
        this.patience.say(`${this.objects.url}: another nightly run has taken over the lease`);
      } else etag = (await this.objects.head(LEASE))?.etag ?? etag;
    };
    let isBusy = false;
    const timer = setInterval(() => {
      if (isBusy) return;
      isBusy = true;
      beating = renew()
        .catch(() => {}) // the run itself reports an unreachable store
        .finally(() => {
          isBusy = false;
        });
    }, times.renewMs).unref();
    return async () => {
      clearInterval(timer);
      await beating;
      if ((await this.readLease())?.id === id) await this.objects.remove(LEASE);
    };
  }

  private async readLease(): Promise<{ holder: string; folder: string; id: string; etag: string } | undefined> {
    const found = await this.readText(LEASE);
    return found && { ...JSON.parse(found.text), etag: found.etag };
  }

  private async firstLease(text: Buffer, folder: string, { renewMs, staleMs }: LeaseTimes): Promise<string> {
    let first: string | undefined;
    let since = performance.now();
    for (;;) {
      const written = await this.objects.put(LEASE, text, { ifNoneMatch: '*' });
      if (typeof written !== 'string') return written.etag;
      const lease = await this.readLease();
      if (lease === undefined) continue;
      if (lease.folder === folder || (lease.etag === first && performance.now() - since >= staleMs)) {
        const taken = await this.objects.put(LEASE, text, { ifMatch: lease.etag });
        if (typeof taken !== 'string') return taken.etag;
      } else if (first !== undefined && lease.etag !== first) {
        const place = `${this.objects.url}/${LEASE}`;
        throw new RunningError(`a nightly run is already in progress: ${lease.holder} (${place})`);
      }
      if (first === undefined) {
        since = performance.now();
        this.patience.say(`waiting up to ${staleMs / 1000} s for a life sign of ${lease.holder}`);
      }
      first = lease.etag;
      await wait(renewMs / 4);
    }
  }

  /**
   * Removes old generations and pieces, and objects that nothing names. Removes no object if a list cannot be read.
   * @param kept files that the caller still needs, besides those of kept generations and recent pieces
   */
  async sweep(kept: readonly StoredFile[], now = Date.now()): Promise<number> {
    try {
      return await this.sweepUnnamed(kept, now);
    } catch (error) {
      if (!isUnusable(error)) throw error;
      this.patience.say(`old objects stay: ${error.message}`);
      return 0;
    }
  }

  private async sweepUnnamed(kept: readonly StoredFile[], now: number): Promise<number> {
    const isOlder = ({ modified }: ObjectFacts, ms: number) => now - modified.getTime() > ms;
    const used = new Set(kept.map(({ sha256 }) => sha256));
    const { current } = await this.readCurrent();
    const generations = new Map<string, ObjectFacts[]>();
    for await (const object of this.objects.list('generations/')) {
      const generation = object.key.split('/')[1]!;
      generations.set(generation, [...(generations.get(generation) ?? []), object]);
    }
    const newest = [...generations].sort(([, a], [, b]) => lastModified(b) - lastModified(a));
    for (const [i, [generation, files]] of newest.entries()) {
      if (i >= KEPT_GENERATIONS && generation !== current?.generation) {
        for (const { key } of files) await this.objects.remove(key);
      } else for (const { sha256 } of await this.readFiles(generation)) used.add(sha256);
    }
    for await (const piece of this.objects.list('pieces/')) {
      if (isOlder(piece, PIECE_KEPT_MS)) await this.objects.remove(piece.key);
      else {
        const found = await this.readText(piece.key);
        for (const { sha256 } of found ? this.filesIn(piece.key, found.text) : []) used.add(sha256);
      }
    }
    const objects = await collect(this.objects.list('objects/'));
    for (const { key } of objects.filter(({ key: name }) => name.endsWith('.parts'))) {
      const sha256 = key.slice('objects/'.length, -'.parts'.length);
      if (used.has(sha256)) for (const part of await this.partsOf(sha256)) used.add(part);
    }
    const swept = objects.filter(
      (object) =>
        isOlder(object, OBJECT_KEPT_MS) && !used.has(object.key.slice('objects/'.length).replace('.parts', '')),
    );
    await Promise.all(swept.map(({ key }) => this.transfer(() => this.objects.remove(key))));
    return swept.length;
  }
}

const undefinedIfUnusable = (error: unknown): undefined => {
  if (!isUnusable(error)) throw error;
};

export const isHash = (value: unknown): value is string => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);

const isStoredFile = ({ path, sha256 }: StoredFile) => isHash(sha256) && isSafePath(path);

/** @returns undefined if the text is not a list of files */
function parseList(text: string): { readonly files: StoredFile[]; readonly signature?: unknown } | undefined {
  try {
    const list = JSON.parse(text);
    return list.files.every(isStoredFile) ? list : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the text that is signed for a list of files. */
const listText = (key: string, files: readonly StoredFile[]) => JSON.stringify([key, files]);

const filesOfPiece = (folder: string): StoredFile[] => {
  const sums = readSums(folder);
  if (sums === undefined) throw new Error(`${folder} is not sealed`);
  return Object.entries(sums)
    .map(([path, { bytes, sha256 }]) => ({ path, bytes, sha256 }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
};

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

async function collect<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const list: Value[] = [];
  for await (const value of values) list.push(value);
  return list;
}

const lastModified = (objects: readonly ObjectFacts[]) =>
  Math.max(...objects.map(({ modified }) => modified.getTime()));

const overtaken = (url: string, now: Partial<Current> | undefined) =>
  new OvertakenError(`another nightly run has published ${now?.generation ?? 'nothing'} in ${url}`);
