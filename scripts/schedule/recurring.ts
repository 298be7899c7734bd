/**
 * The jobs that recur while a service runs: nightly runs, also after edges, the release watcher, comparisons and webhook
 * deliveries.
 */
import { type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Logger } from 'pino';
import { lastVerify, nextNight } from '../../pipeline/base/disk/run-records.js';
import type { Config } from '../../pipeline/config.js';
import { loadReference } from '../../pipeline/reference.js';
import { Store } from '../../server/people/store/store.js';
import { deliverDue } from '../../server/people/webhooks/deliver.js';
import { readReleases } from '../../server/tax/dataset/releases.js';
import { EXIT } from '../exit-codes.js';
import { isEdgeDue } from './edge-due.js';
import { claimInFolder, claimInStore, type Job, startSchedule } from './jobs.js';
import type { Times } from './times.js';

/**
 * Returns a job that runs a command in a separate process. The process frees its memory when it ends, and can be
 * stopped at any time.
 */
const commandJob = (
  name: string,
  times: string,
  options: readonly string[] = [],
  output: StdioOptions = 'inherit',
): Job => ({
  name,
  times,
  async run(signal) {
    const words = [...process.execArgv, process.argv[1]!, name, ...options];
    const child = spawn(process.execPath, words, { stdio: output });
    const stop = () => child.kill('SIGTERM');
    signal.addEventListener('abort', stop);
    const [code, ended] = await once(child, 'exit').finally(() => signal.removeEventListener('abort', stop));
    if (code !== 0 && code !== EXIT.incomplete)
      throw new Error(ended ? `it was stopped by ${ended}` : `exit code ${code}`);
  },
});

/** Returns a job that starts a nightly run soon after an edge, because nodes soon prune the state at the edge. */
function edgeJob(config: Config): Job {
  const reference = loadReference();
  const { run } = commandJob('nightly', '');
  return {
    name: 'edges',
    times: '* * * * *',
    often: true,
    run: async (signal) => (isEdgeDue(config, reference) ? run(signal) : undefined),
  };
}

/** Returns a job that compares holdings with a node. Logs only the result, not the output of the command. */
function verifyJob(times: string, dataDir: string, log: Logger): Job {
  const { run, ...job } = commandJob('verify', times, ['--against-node'], ['ignore', 'ignore', 'inherit']);
  return {
    ...job,
    async run(signal) {
      const began = lastVerify.read(dataDir)?.ended;
      const outcome = () => {
        const last = lastVerify.read(dataDir);
        return last?.ended === began ? undefined : last;
      };
      await run(signal).catch((error: Error) => {
        const reason = outcome()?.error;
        throw reason ? new Error(`${error.message}: ${reason}`) : error;
      });
      log.info({ job: job.name, ...outcome() }, 'holdings agree with the node');
    },
  };
}

/** Returns a job that delivers webhooks every ten seconds. Ten seconds is the shortest delay before a retry. */
export const deliveryJob = (store: Store, config: Config): Job => ({
  name: 'deliver-webhooks',
  times: '*/10 * * * * *',
  often: true,
  run: async (signal) => void (await deliverDue(store, config.now, readReleases(config.dataDir), { signal })),
});

/**
 * Starts the recurring jobs.
 * @param startsNight if true, a nightly run also starts at once
 * @returns a function that stops them and waits for running jobs
 */
export function startRecurring(
  { nightly, watchReleases, verify }: Times,
  config: Config,
  log: Logger,
  startsNight = false,
): () => Promise<void> {
  const store = config.databaseUrl === undefined ? undefined : new Store(config);
  const claim = store ? claimInStore(store) : claimInFolder(config.dataDir);
  const night: Job = {
    ...commandJob('nightly', nightly),
    startsAtOnce: startsNight,
    noteNext: (time) => nextNight.write(config.dataDir, time),
  };
  const jobs = [night, commandJob('watch-releases', watchReleases)];
  if (config.wallets) jobs.push(edgeJob(config));
  if (config.lcdUrls.length > 0) jobs.push(verifyJob(verify, config.dataDir, log));
  if (store) jobs.push(deliveryJob(store, config));
  else log.info('the server delivers webhooks, because only it can open the embedded store');
  const end = startSchedule(jobs, claim, log);
  log.info({ jobs: jobs.map(({ name, times }) => `${name}: ${times}`) }, 'scheduling');
  return async () => {
    await end();
    await store?.close();
  };
}
