/** The end of the last night, in a file of the data folder: for metrics and `hubledger status`. Nothing rests on it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from './atomic-files.js';

export interface LastNight {
  readonly outcome: 'published' | 'nothing-new' | 'failed';
  /** RFC 3339. */
  readonly began: string;
  readonly ended: string;
  /** The generation in force afterwards; null where none is. */
  readonly generation: string | null;
  /** Milliseconds by step, of those that were done. */
  readonly durations: Readonly<Record<string, number>>;
  /** First line of what a failed night said; null for others. */
  readonly error: string | null;
}

const fileIn = (dataDir: string) => join(dataDir, 'last-night.json');

export const writeLastNight = (dataDir: string, night: LastNight): void =>
  replaceFile(fileIn(dataDir), `${JSON.stringify(night, null, 1)}\n`);

/** Reads how the last night ended; undefined where none has, or the file is damaged: the next night writes it anew. */
export function readLastNight(dataDir: string): LastNight | undefined {
  try {
    const night: LastNight = JSON.parse(readFileSync(fileIn(dataDir), 'utf8'));
    return Number.isNaN(Date.parse(night.ended)) ? undefined : night;
  } catch {
    return undefined;
  }
}
