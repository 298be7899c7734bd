/** The outcome of the last `verify --against-node`, in a file of the data folder: for the schedule, metrics and `hubledger status`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from './atomic-files.js';

export interface LastVerify {
  /** failed: the comparison came to no end, for no node answered. */
  readonly outcome: 'agrees' | 'differs' | 'failed';
  /** RFC 3339. */
  readonly ended: string;
  readonly generation: string;
  /** First check that failed, or why there was no comparison; null when all agrees. */
  readonly error: string | null;
}

const fileIn = (dataDir: string) => join(dataDir, 'last-verify.json');

/** Writes the outcome. A data folder that cannot be written can be verified all the same. */
export function writeLastVerify(dataDir: string, verify: LastVerify): void {
  try {
    replaceFile(fileIn(dataDir), `${JSON.stringify(verify, null, 1)}\n`);
  } catch {
    // What was printed is the outcome.
  }
}

/** Reads the outcome; undefined where there was no comparison, or the file is damaged. */
export function readLastVerify(dataDir: string): LastVerify | undefined {
  try {
    const verify: LastVerify = JSON.parse(readFileSync(fileIn(dataDir), 'utf8'));
    return Number.isNaN(Date.parse(verify.ended)) ? undefined : verify;
  } catch {
    return undefined;
  }
}
