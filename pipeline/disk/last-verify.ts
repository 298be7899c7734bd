/** The result of the last `verify --against-node`, for the schedule, metrics and `hubledger status`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from './atomic-files.js';

export interface LastVerify {
  /** `failed`: no node answered. */
  readonly outcome: 'agrees' | 'differs' | 'failed';
  /** RFC 3339. */
  readonly ended: string;
  readonly generation: string;
  /** First failed check, or why the comparison was impossible. */
  readonly error: string | null;
}

const fileIn = (dataDir: string) => join(dataDir, 'last-verify.json');

/** Ignores disk errors, because a read-only data folder can be verified too. */
export function writeLastVerify(dataDir: string, verify: LastVerify): void {
  try {
    replaceFile(fileIn(dataDir), `${JSON.stringify(verify, null, 1)}\n`);
  } catch {
    // The printed result is enough.
  }
}

export function readLastVerify(dataDir: string): LastVerify | undefined {
  try {
    const verify: LastVerify = JSON.parse(readFileSync(fileIn(dataDir), 'utf8'));
    return Number.isNaN(Date.parse(verify.ended)) ? undefined : verify;
  } catch {
    return undefined;
  }
}
