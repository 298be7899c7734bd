/** `hubledger worker`: runs jobs for nightly runs on other machines. */
import type { Command } from 'commander';
import { VariableError } from '../../pipeline/base/config-error.js';
import { makeFolder } from '../../pipeline/base/disk/atomic-files.js';
import { endSignal } from '../../pipeline/base/disk/end-signal.js';
import { removeDeadScratch, requireLocks } from '../../pipeline/base/disk/lock.js';
import { readConfig } from '../../pipeline/config.js';
import { ThreadPool, USUAL_WORKERS } from '../../pipeline/night/jobs/thread-pool.js';
import { openProgress } from '../../pipeline/night/progress.js';
import { openParts } from '../../pipeline/night/queue/open.js';
import { NightWorker } from '../../pipeline/night/queue/run-worker.js';
import { wholeNumber } from './arguments.js';

/** @throws VariableError if a variable is missing, or if the queue does not respond */
async function work({ threads, json }: { readonly threads: number; readonly json?: true }): Promise<void> {
  const ended = endSignal();
  const config = readConfig();
  const { queueUrl, storeUrl, dataDir } = config;
  if (queueUrl === undefined) throw new VariableError('./hubledger worker needs HUBLEDGER_QUEUE_URL');
  makeFolder(dataDir);
  await requireLocks(dataDir);
  await removeDeadScratch(dataDir);
  const progress = openProgress(config.logLevel, json);
  const { queue, store, cache } = await openParts(config, queueUrl, progress.say);
  const executor = new ThreadPool(threads);
  const worker = new NightWorker({ queue, store, cache, executor, dataDir, threads, progress });
  progress.say(`worker takes jobs from ${queue.place}`, { threads, store: storeUrl });
  const signal = await ended;
  progress.say(`${signal}: the worker ends after its running jobs`);
  const left = await worker.close();
  progress.say(left === 0 ? 'worker ended' : `worker ended and gave back ${left} running jobs`);
  await queue.close();
}

export const examples = ['', '--threads 4'];

export function declare(command: Command): void {
  command
    .option('--threads <number>', 'number of jobs that run at once', wholeNumber, USUAL_WORKERS)
    .option('--json', 'print JSON lines also on a terminal, for programs')
    .action(async (options) => {
      await work(options);
      process.exit(); // exits explicitly, because threads may still run jobs that went back to the queue
    });
}
