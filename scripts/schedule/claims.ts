/** Claims: of several schedulers the first one that claims a job's time carries it out, and nobody else while it is at it. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tryLock } from '../../pipeline/disk/lock.js';
import type { Store } from '../../server/store/store.js';

/**
 * Milliseconds by which another scheduler's claim may be later: of clocks that differ, or of a process that was held up. What was begun
 * later still was begun by a clock that was wrong, and must not keep the job from running until that time has come.
 */
const LATER_MAX_MS = 3_600_000;

/**
 * A claim does the work unless the job runs already or was begun for this time of its timetable or, by up to an hour, a later one.
 * @param work never rejects: a job that failed was begun all the same
 * @returns whether it did
 */
export type Claim = (job: string, time: Date, work: () => Promise<void>) => Promise<boolean>;

const latestOf = (time: Date) => new Date(time.getTime() + LATER_MAX_MS);

/** Makes claims among all machines of a database. Each is a lock of a connection, so it ends with its process, however that ends. */
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

/** Makes claims on the one machine of an embedded store, which a server has open and nobody else can. */
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
