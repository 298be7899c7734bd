/**
 * Reads and writes generations and pieces in an object store. CURRENT names the current generation. A nightly run may replace CURRENT only if it has not changed since
 * the run read it.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError, DifferentPieces } from '../../base/config-error.js';
import { removeFolder, unfinished } from '../../base/disk/atomic-files.js';
import { isSafePath } from '../../base/disk/safe-path.js';
import { damagedFile, readSums, sealFolder } from '../../base/disk/sealed-folder.js';
import { DAY_MS } from '../../base/values/day.js';
import { isGenerationId, SIGNATURE } from '../generation.js';
import { SIGNATURE_MAX_BYTES } from '../signature.js';
import {
  allOf,
  ContentStore,
  collect,
  isHash,
  isUnusable,
  mapAll,
  OBJECT_KEPT_MS,
  type StoredFile,
  sha256Of,
} from './content-store.js';
import { type ObjectFacts, type Patience, WrongBytesError } from './object-store.js';
import { openObjectStore } from './open-object-store.js';

/** Thrown if CURRENT has changed since the nightly run read it. The command then ends with exit code 3. */
export class OvertakenError extends ConfigError {}

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

const CURRENT = 'CURRENT';
const ARCHIVE = 'archive.json';
const ID = 'id';

const PIECE_KEPT_MS = 7 * DAY_MS;
const KEPT_GENERATIONS = 3;

const pieceKey = (step: string, key: string) => `pieces/${step}/${key}.json`;
const filesKey = (generation: string) => `generations/${generation}/files.json`;
const manifestKey = (generation: string) => `generations/${generation}/manifest.json`;
const signatureKey = (generation: string) => `generations/${generation}/${SIGNATURE}`;

export class DatasetStore extends ContentStore {
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

const lastModified = (objects: readonly ObjectFacts[]) =>
  Math.max(...objects.map(({ modified }) => modified.getTime()));

const overtaken = (url: string, now: Partial<Current> | undefined) =>
  new OvertakenError(`another nightly run has published ${now?.generation ?? 'nothing'} in ${url}`);
