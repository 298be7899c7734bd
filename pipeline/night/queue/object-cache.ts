/** Copies of objects in `objects/<sha256>` of the data folder. The least recently used copies are removed. */
import { mkdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileSha256, linkOrCopy, listFolder, unfinished } from '../../base/disk/atomic-files.js';
import type { DatasetStore } from '../../publish/store/dataset-store.js';

/** Share of the bound that stays when copies are removed. */
const SHARE_KEPT = 0.9;

const sizeOf = (copies: readonly { readonly bytes: number }[]) => copies.reduce((sum, { bytes }) => sum + bytes, 0);

export class ObjectCache {
  private readonly folder: string;
  /** Size of all copies; undefined before the first is added. */
  private bytes: number | undefined;

  constructor(
    private readonly store: DatasetStore,
    dataDir: string,
    private readonly maxBytes: number,
  ) {
    this.folder = join(dataDir, 'objects');
    mkdirSync(this.folder, { recursive: true });
  }

  /** Places an object at a path. Gets it from the store if the cache lacks it, or if its copy is damaged. */
  async place(sha256: string, path: string): Promise<void> {
    mkdirSync(dirname(path), { recursive: true });
    const copy = join(this.folder, sha256);
    try {
      linkOrCopy(copy, path);
      if ((await fileSha256(path)) === sha256) {
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

  /** Keeps a copy of a file that must not change. */
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
      const facts = statSync(path, { throwIfNoEntry: false }); // another worker on this folder may have removed it
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
