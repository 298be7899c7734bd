/** The result of the last nightly run, for metrics and `hubledger status` only. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from './atomic-files.js';

export interface LastNight {
  readonly outcome: 'published' | 'nothing-new' | 'failed';
  /** RFC 3339. */
  readonly began: string;
  readonly ended: string;
  readonly generation: string | null;
  /** Milliseconds by completed step. */
  readonly durations: Readonly<Record<string, number>>;
  /** First line of the message. */
  readonly error: string | null;
}

const fileIn = (dataDir: string) => join(dataDir, 'last-night.json');

export const writeLastNight = (dataDir: string, night: LastNight): void =>
  replaceFile(fileIn(dataDir), `${JSON.stringify(night, null, 1)}\n`);

export function readLastNight(dataDir: string): LastNight | undefined {
  try {
    const night: LastNight = JSON.parse(readFileSync(fileIn(dataDir), 'utf8'));
    return Number.isNaN(Date.parse(night.ended)) ? undefined : night;
  } catch {
    return undefined;
  }
}
