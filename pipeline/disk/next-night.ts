/** The time at which the schedule will run the next night, in a file of the data folder: for people and metrics. Nothing rests on it. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from './atomic-files.js';

const fileIn = (dataDir: string) => join(dataDir, 'schedule-nightly.next');

/** Notes the time of the next night; null where the schedule has ended. A disk that takes no note keeps no night from its time. */
export function writeNextNight(dataDir: string, time: Date | null): void {
  try {
    rmSync(fileIn(dataDir), { force: true });
    if (time === null) return;
    makeFolder(dataDir);
    writeFileSync(fileIn(dataDir), time.toISOString());
  } catch {
    // An older note is gone all the same, or the folder cannot be written at all.
  }
}

/**
 * Reads when the next night is due. A time that is over says that the schedule was killed or is stuck.
 * @returns undefined where no schedule runs on this folder
 */
export function readNextNight(dataDir: string): Date | undefined {
  try {
    const time = new Date(readFileSync(fileIn(dataDir), 'utf8'));
    return Number.isNaN(time.getTime()) ? undefined : time;
  } catch {
    return undefined;
  }
}
