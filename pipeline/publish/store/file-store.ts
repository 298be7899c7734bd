import { constants, createReadStream } from 'node:fs';
import { copyFile, link, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { VariableError } from '../../base/config-error.js';
import { makeFolder, unfinished } from '../../base/disk/atomic-files.js';
import { tryLock } from '../../base/disk/lock.js';
import { joinSafely } from '../../base/disk/safe-path.js';
import {
  type Body,
  type Condition,
  codeOf,
  type Driver,
  type ObjectFacts,
  type ObjectHead,
  type Page,
  StoreAway,
  type StoredObject,
  type Written,
} from './object-store.js';

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
export function fileError(error: unknown, url: string): unknown {
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
export class FileStore implements Driver {
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
