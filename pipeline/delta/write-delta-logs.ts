/**
 * Adds a `_delta_log` to each table. Files of earlier generations are hard-linked into `_earlier` for time travel; file
 * patterns do not match that folder.
 */
import { linkSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest, ManifestFile } from '../../schemas/types.generated.js';
import { fileSha256 } from '../disk/atomic-files.js';
import { commitFile, commits, earlierPath, LOG_FOLDER, type TableVersion } from './delta-log.js';

export interface Generation {
  readonly folder: string;
  readonly manifest: Manifest;
}

/**
 * @param earlier kept generations, oldest first. A table's history starts after the last generation that lacks the
 * table or a file of it
 */
export async function writeDeltaLogs({ folder, manifest }: Generation, earlier: readonly Generation[]): Promise<void> {
  for (const { name } of manifest.tables) {
    const own = versionOf(manifest, name)!;
    let versions: TableVersion[] = [];
    for (const generation of earlier) {
      const version = await earlierVersion(generation, name, own, folder);
      versions = version ? [...versions, version] : [];
    }
    const log = join(folder, name, LOG_FOLDER);
    mkdirSync(log);
    commits([...versions, own]).forEach((text, version) => {
      writeFileSync(join(log, commitFile(version)), text);
    });
  }
}

function versionOf({ generation, time, tables }: Manifest, name: string): TableVersion | undefined {
  const table = tables.find((one) => one.name === name);
  if (!table?.files.every(({ path }) => path.startsWith(`${name}/`))) return undefined;
  const files = new Map(table.files.map((file) => [file.path.slice(name.length + 1), file]));
  return { generation, time, table, files };
}

/** Returns undefined if a file is lost or cannot be linked. */
async function earlierVersion(
  { folder: from, manifest }: Generation,
  name: string,
  own: TableVersion,
  to: string,
): Promise<TableVersion | undefined> {
  const version = versionOf(manifest, name);
  if (!version) return undefined;
  const files = new Map<string, ManifestFile>();
  for (const [path, file] of version.files) {
    const isShared = own.files.get(path)?.sha256 === file.sha256;
    const place = isShared ? path : earlierPath(path, file);
    if (!isShared && !(await keep(join(from, file.path), file, join(to, name, place)))) return undefined;
    files.set(place, file);
  }
  return { ...version, files };
}

/** Returns false if the file is missing, changed or cannot be linked. */
async function keep(file: string, { sha256 }: ManifestFile, name: string): Promise<boolean> {
  try {
    if ((await fileSha256(file)) !== sha256) return false;
    mkdirSync(join(name, '..'), { recursive: true });
    linkSync(file, name);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EEXIST'; // already linked by another generation
  }
}
