/**
 * Caches objects of the object store in the folder `objects/<sha256>` of the data folder. The least recently used
 * objects are removed first.
 */
import { lstatSync, mkdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileSha256, linkOrCopy, listFolder, unfinished } from '../../base/disk/atomic-files.js';
import type { DatasetStore } from '../../publish/store/dataset-store.js';

/** When the cache is full, objects are removed until its size is this share of the maximum. */
const SHARE_KEPT = 0.9;

const sizeOf = (copies: readonly { readonly bytes: number }[]) => copies.reduce((sum, { bytes }) => sum + bytes, 0);

export class ObjectCache {
  private readonly folder: string;
  /** Size of all cached objects; undefined until the first object is added. */
  private bytes: number | undefined;

  constructor(
    private readonly store: DatasetStore,
    dataDir: string,
    private readonly maxBytes: number,
  ) {
    this.folder = join(dataDir, 'objects');
    mkdirSync(this.folder, { recursive: true });
  }

  /**
   * Copies an object to a path. Fetches the object from the store if it is not cached, or if its cached copy is damaged
   * or a symbolic link.
   */
  async place(sha256: string, path: string): Promise<void> {
    mkdirSync(dirname(path), { recursive: true });
    const copy = join(this.folder, sha256);
    try {
      linkOrCopy(copy, path);
      if (lstatSync(path).isFile() && (await fileSha256(path)) === sha256) {
        utimesSync(copy, new Date(), statSync(copy).mtime);
        return;
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    rmSync(copy, { force: true });
    rmSync(path, { force: true });
    await this.store.getObject(sha256, path);
    this.add(sha256, path);
  }

  /** Adds a file to the cache. The file must not change later. */
  add(sha256: string, path: string): void {
    const copy = join(this.folder, sha256);
    if (statSync(copy, { throwIfNoEntry: false })) return;
    const making = unfinished(copy);
    linkOrCopy(path, making);
    renameSync(making, copy);
    this.bytes = this.bytes === undefined ? sizeOf(this.copies()) : this.bytes + statSync(copy).size;
    if (this.bytes > this.maxBytes) this.removeOldest();
  }

  private copies(): { readonly path: string; readonly bytes: number; readonly usedAt: number }[] {
    return listFolder(this.folder).flatMap((name) => {
      const path = join(this.folder, name);
      const facts = statSync(path, { throwIfNoEntry: false }); // undefined if another worker on this folder has removed the file
      return facts ? [{ path, bytes: facts.size, usedAt: facts.atimeMs }] : [];
    });
  }

  private removeOldest(): void {
    const copies = this.copies().sort((a, b) => a.usedAt - b.usedAt);
    let bytes = sizeOf(copies);
    for (const copy of copies) {
      if (bytes <= SHARE_KEPT * this.maxBytes) break;
      rmSync(copy.path, { force: true });
      bytes -= copy.bytes;
    }
    this.bytes = bytes;
  }
}
