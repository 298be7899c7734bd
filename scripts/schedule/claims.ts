/** Claims: each run of a job is executed by the first scheduler that claims it. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tryLock } from '../../pipeline/disk/lock.js';
import type { Store } from '../../server/store/store.js';

/**
 * Tolerance in milliseconds for a later claim by another scheduler, for clock differences or a delayed process. A
 * claim even later comes from a wrong clock and must not block the job.
 */
const LATER_MAX_MS = 3_600_000;

/**
 * Runs the work unless the job is running, or was started for this time or for one up to an hour later.
 * @param work never rejects; a failed job counts as run
 * @returns true if the work ran
 */
export type Claim = (job: string, time: Date, work: () => Promise<void>) => Promise<boolean>;

const latestOf = (time: Date) => new Date(time.getTime() + LATER_MAX_MS);

/** Claims across all machines of a database. A claim is a connection's lock, so it ends with the process. */
export function claimInStore(store: Store): Claim {
  return async (job, time, work) => {
    await store.query('schedule/ensure', { job });
    return store.onConnection(async (queries) => {
      const [lock] = await queries.query<{ held: boolean }>('schedule/lock', { job });
      if (!lock!.held) return false;
      try {
        if ((await queries.query('schedule/claim', { job, time, latest: latestOf(time) })).length === 0) return false;
        await work();
        return true;
      } finally {
        await queries.query('schedule/unlock', { job });
      }
    });
  };
}

/** Claims on one machine, for an embedded store. */
export function claimInFolder(dataDir: string): Claim {
  return async (job, time, work) => {
    const lock = await tryLock(dataDir, `schedule-${job}`);
    if ('holder' in lock) return false;
    try {
      const file = join(dataDir, `schedule-${job}.last`);
      const last = existsSync(file) ? new Date(readFileSync(file, 'utf8')) : undefined;
      if (last && last >= time && last <= latestOf(time)) return false;
      writeFileSync(file, time.toISOString());
      await work();
      return true;
    } finally {
      lock.release();
    }
  };
}
