import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import cron from 'node-cron';
import type { Logger } from 'pino';
import { tryLock } from '../../pipeline/base/disk/lock.js';
import type { Store } from '../../server/people/store/store.js';

/**
 * Maximum time by which a claim may be in the future, because the clocks of schedulers differ. A later claim comes from
 * a wrong clock and must not block the job.
 */
const LATER_MAX_MS = 3_600_000;

/**
 * Runs the work of a job. Does nothing if the job is already running. Also does nothing if another process has claimed
 * this time, or a time up to LATER_MAX_MS later.
 * @returns true if the work ran
 */
export type Claim = (job: string, time: Date, work: () => Promise<void>) => Promise<boolean>;

const latestOf = (time: Date) => new Date(time.getTime() + LATER_MAX_MS);

/**
 * Returns a claim function for machines that share a database. If the process dies, its connection ends and the lock is
 * released.
 */
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

/** Returns a claim function for an embedded store, which only one machine can use. */
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

export interface Job {
  readonly name: string;
  /** Cron expression in UTC. If it has six fields, the first field is for seconds. */
  readonly times: string;
  /** If true, the job also runs when the schedule starts. */
  readonly startsAtOnce?: boolean;
  /** If true, runs are logged only at level debug. */
  readonly often?: true;
  run(signal: AbortSignal): Promise<void>;
  /** Called with the time of the next run, and with null when the scheduler stops. */
  readonly noteNext?: (time: Date | null) => void;
}

const LOOK_EVERY_MS = 1000;
const AHEAD_MAX_MS = 60_000;

/** Calls `onSet` when the system clock has been set. @returns a function that stops this */
function watchClock(onSet: () => void, everyMs: number): () => void {
  let seen = Date.now();
  const timer = setInterval(() => {
    const now = Date.now();
    if (now < seen || now > seen + everyMs + AHEAD_MAX_MS) onSet();
    seen = now;
  }, everyMs);
  return () => clearInterval(timer);
}

/**
 * Starts recurring jobs. A failed job runs again at its next scheduled time.
 * @returns a function that stops the schedule and waits for running jobs
 */
export function startSchedule(
  jobs: readonly Job[],
  claim: Claim,
  log: Logger,
  lookEveryMs = LOOK_EVERY_MS,
): () => Promise<void> {
  const ending = new AbortController();
  const running = new Set<Promise<unknown>>();
  const attempt = async ({ name, often, run }: Job, time: Date) => {
    const level = often ? 'debug' : 'info';
    const work = async () => {
      log[level]({ job: name, time }, 'job begins');
      await run(ending.signal).then(
        () => log[level]({ job: name }, 'job has ended'),
        (err) => log.error({ job: name, err }, 'job has failed'),
      );
    };
    const claimed = await claim(name, time, work);
    if (!claimed) log[level]({ job: name, time }, 'job runs already, or another scheduler has claimed it');
  };
  const begin = (job: Job, date: Date) => {
    const time = new Date(Math.floor(date.getTime() / 1000) * 1000);
    const attempted = attempt(job, time).catch((err) => log.error({ job: job.name, err }, 'job cannot be claimed'));
    running.add(attempted);
    void attempted.finally(() => running.delete(attempted));
  };
  const tasks = jobs.map((job) => {
    const task = cron.schedule(
      job.times,
      ({ date }) => {
        job.noteNext?.(task.getNextRun());
        begin(job, date);
      },
      { name: job.name, timezone: 'UTC', suppressMissedWarning: true },
    );
    job.noteNext?.(task.getNextRun());
    if (job.startsAtOnce) begin(job, new Date());
    return { job, task };
  });
  // Restarts the schedule after the clock has been set. Otherwise node-cron would wait for the old time, or run every
  // missed time.
  const endWatch = watchClock(() => {
    log.warn('the clock was set: jobs run at their new times');
    for (const { job, task } of tasks) {
      void Promise.resolve(task.stop()).then(() => task.start());
      job.noteNext?.(task.getNextRun());
    }
  }, lookEveryMs);
  return async () => {
    endWatch();
    await Promise.all(tasks.map(({ task }) => task.destroy()));
    for (const { noteNext } of jobs) noteNext?.(null);
    ending.abort();
    await Promise.all(running);
  };
}
