/** Finds what is damaged of the Delta Lake tables of a generation beside the files of its manifest. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest } from '../../schemas/types.generated.js';
import { fileSha256, listFolder } from '../disk/atomic-files.js';
import { commitFile, EARLIER_FOLDER, hashOfEarlier, isWhole, LOG_FOLDER } from './delta-log.js';

/** @returns the path of a file below the generation's folder that is missing or not as it was written; undefined where there is none */
export async function damagedDeltaFile(folder: string, { generation, tables }: Manifest): Promise<string | undefined> {
  for (const { name } of tables) {
    const log = listFolder(join(folder, name, LOG_FOLDER)).map((file) => ({
      file,
      text: readCommit(folder, name, file),
    }));
    const damaged = log.find(({ file, text }, version) => file !== commitFile(version) || !isWhole(text));
    if (damaged) return `${name}/${LOG_FOLDER}/${damaged.file}`;
    const isLast = log.at(-1)?.text.includes(`"generation":"${generation}"`);
    if (!isLast) return `${name}/${LOG_FOLDER}/${commitFile(log.length)}`;
    const earlier = log.flatMap(
      ({ text }) => text.match(new RegExp(`(?<="add":\\{"path":")${EARLIER_FOLDER}/[^"]+`, 'g')) ?? [],
    );
    for (const path of earlier) {
      const hash = await fileSha256(join(folder, name, path)).catch(() => '');
      if (!hash.startsWith(hashOfEarlier(path))) return `${name}/${path}`;
    }
  }
  return undefined;
}

const readCommit = (folder: string, table: string, file: string) =>
  readFileSync(join(folder, table, LOG_FOLDER, file), 'utf8');
