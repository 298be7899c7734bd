/** The time of the next scheduled nightly run, for people and metrics only. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from './atomic-files.js';

const fileIn = (dataDir: string) => join(dataDir, 'schedule-nightly.next');

/** Ignores disk errors, because the schedule must go on. */
export function writeNextNight(dataDir: string, time: Date | null): void {
  try {
    rmSync(fileIn(dataDir), { force: true });
    if (time === null) return;
    makeFolder(dataDir);
    writeFileSync(fileIn(dataDir), time.toISOString());
  } catch {}
}

/** A past time means that the schedule was killed or hangs. */
export function readNextNight(dataDir: string): Date | undefined {
  try {
    const time = new Date(readFileSync(fileIn(dataDir), 'utf8'));
    return Number.isNaN(time.getTime()) ? undefined : time;
  } catch {
    return undefined;
  }
}
