/**
 * `hubledger schedule`: runs recurring jobs. If several machines run this command, each job runs on only one of them.
 */

import { type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Command, InvalidArgumentError } from 'commander';
import cron from 'node-cron';
import type { Logger } from 'pino';
import { endSignal } from '../../pipeline/base/disk/end-signal.js';
import { requireLocks } from '../../pipeline/base/disk/lock.js';
import { openLog } from '../../pipeline/base/disk/log-output.js';
import { lastVerify, nextNight } from '../../pipeline/base/disk/run-records.js';
import { type Config, expectNoFollowing, readConfig } from '../../pipeline/config.js';
import { Store } from '../../server/people/store/store.js';
import { deliverDue } from '../../server/people/webhooks/deliver.js';
import { readReleases } from '../../server/tax/dataset/releases.js';
import { claimInFolder, claimInStore, type Job, startSchedule } from '../schedule/jobs.js';

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
    if (code !== 0) throw new Error(ended ? `it was stopped by ${ended}` : `exit code ${code}`);
  },
});

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

interface Times {
  readonly nightly: string;
  readonly watchReleases: string;
  readonly verify: string;
}

/**
 * Runs jobs until a signal arrives, then stops the running jobs.
 * @throws VariableError if the data folder is not writable
 */
async function schedule({ nightly, watchReleases, verify }: Times): Promise<void> {
  const ended = endSignal();
  const config = readConfig();
  expectNoFollowing(config, 'schedule');
  await requireLocks(config.dataDir);
  const { log, close } = openLog(config.logLevel);
  const store = config.databaseUrl === undefined ? undefined : new Store(config);
  const claim = store ? claimInStore(store) : claimInFolder(config.dataDir);
  const night: Job = {
    ...commandJob('nightly', nightly),
    noteNext: (time) => nextNight.write(config.dataDir, time),
  };
  const jobs = [night, commandJob('watch-releases', watchReleases)];
  if (config.lcdUrls.length > 0) jobs.push(verifyJob(verify, config.dataDir, log));
  if (store) jobs.push(deliveryJob(store, config));
  else log.info('the server delivers webhooks, because only it can open the embedded store');
  const end = startSchedule(jobs, claim, log);
  log.info({ jobs: jobs.map(({ name, times }) => `${name}: ${times}`) }, 'scheduling');
  const signal = await ended;
  log.info({ signal }, 'ending');
  await end();
  await store?.close();
  log.info('closed');
  await close();
}

function cronTimes(text: string): string {
  if (!cron.validate(text)) throw new InvalidArgumentError('It must be a cron expression such as "20 0 * * *".');
  return text;
}

export const examples = ['', '--nightly "20 0 * * *"'];

export function declare(command: Command): void {
  command
    .option('--nightly <cron>', 'times (UTC) of nightly runs', cronTimes, '20 0 * * *')
    .option('--watch-releases <cron>', 'times (UTC) at which to look for releases', cronTimes, '50 */6 * * *')
    .option(
      '--verify <cron>',
      'times (UTC) at which to compare holdings with a node of HUBLEDGER_LCD_URLS',
      cronTimes,
      '20 3 * * 0',
    )
    .action(async (times: Times) => {
      await schedule(times);
      process.exit(); // exits explicitly, because an unresponsive database connection would keep the process alive
    });
}
