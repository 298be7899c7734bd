/** Checks Delta Lake logs and files that are not in the manifest. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest } from '../../schemas/types.generated.js';
import { fileSha256, listFolder } from '../disk/atomic-files.js';
import { commitFile, EARLIER_FOLDER, hashOfEarlier, isWhole, LOG_FOLDER } from './delta-log.js';

interface Action {
  readonly commitInfo?: { readonly generation: string };
  readonly add?: { readonly path: string };
}

/** @returns the relative path of a missing or changed file, or undefined */
export async function damagedDeltaFile(folder: string, { generation, tables }: Manifest): Promise<string | undefined> {
  for (const { name } of tables) {
    const log = join(folder, name, LOG_FOLDER);
    const files = listFolder(log);
    const commits = files.map((file) => readFileSync(join(log, file), 'utf8'));
    const damaged = files.find((file, version) => file !== commitFile(version) || !isWhole(commits[version]!));
    if (damaged !== undefined) return `${name}/${LOG_FOLDER}/${damaged}`;
    const actions = commits.map(actionsOf);
    const isThere = actions.at(-1)?.some(({ commitInfo }) => commitInfo?.generation === generation);
    if (!isThere) return `${name}/${LOG_FOLDER}/${commitFile(files.length)}`;
    for (const { add } of actions.flat()) {
      if (!add?.path.startsWith(`${EARLIER_FOLDER}/`)) continue;
      const hash = await fileSha256(join(folder, name, add.path)).catch(() => '');
      if (!hash.startsWith(hashOfEarlier(add.path))) return `${name}/${add.path}`;
    }
  }
  return undefined;
}

const actionsOf = (commit: string): Action[] =>
  commit
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
