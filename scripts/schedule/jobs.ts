/** Runs recurring jobs, each on one machine at a time. */
import cron from 'node-cron';
import type { Logger } from 'pino';
import type { Claim } from './claims.js';

export interface Job {
  readonly name: string;
  /** Cron expression in UTC; with six fields, the first is the second. */
  readonly times: string;
  /** True to log runs only at level debug. */
  readonly often?: true;
  /** @param signal aborted when the scheduler stops */
  run(signal: AbortSignal): Promise<void>;
  /** Receives the time of the next run, or null when the scheduler stops. */
  readonly noteNext?: (time: Date | null) => void;
}

/** Milliseconds between two clock checks, and the tolerated drift. */
const LOOK_EVERY_MS = 1000;
const AHEAD_MAX_MS = 60_000;

/**
 * Calls back after the clock was set or the machine slept.
 * @returns a function that stops the check
 */
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
 * Runs jobs until stopped. A failed job is logged and runs again at its next time.
 * @param lookEveryMs milliseconds between two clock checks
 * @returns a function that stops, and resolves after all running jobs end
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
    if (!claimed) log[level]({ job: name, time }, 'job is left to another scheduler, or still runs');
  };
  const tasks = jobs.map((job) => {
    const task = cron.schedule(
      job.times,
      ({ date }) => {
        job.noteNext?.(task.getNextRun());
        const time = new Date(Math.floor(date.getTime() / 1000) * 1000);
        const attempted = attempt(job, time).catch((err) => log.error({ job: job.name, err }, 'job cannot be claimed'));
        running.add(attempted);
        void attempted.finally(() => running.delete(attempted));
      },
      { name: job.name, timezone: 'UTC', suppressMissedWarning: true },
    );
    job.noteNext?.(task.getNextRun());
    return { job, task };
  });
  // After a clock change, node-cron would wait for the old time or run every missed one.
  const endWatch = watchClock(() => {
    log.warn('the clock was set: jobs run at their times by the new one');
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
