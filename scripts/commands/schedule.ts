/**
 * `hubledger schedule`: runs recurring jobs. If several machines run this command, each job runs on only one of them.
 */

import type { Command } from 'commander';
import { endSignal } from '../../pipeline/base/disk/end-signal.js';
import { requireLocks } from '../../pipeline/base/disk/lock.js';
import { openLog } from '../../pipeline/base/disk/log-output.js';
import { expectNoFollowing, readConfig } from '../../pipeline/config.js';
import { startRecurring } from '../schedule/recurring.js';
import { declareTimes, type Times } from '../schedule/times.js';

/**
 * Runs jobs until a signal arrives, then stops the running jobs.
 * @throws VariableError if the data folder is not writable
 */
async function schedule(times: Times): Promise<void> {
  const ended = endSignal();
  const config = readConfig();
  expectNoFollowing(config, 'schedule');
  await requireLocks(config.dataDir);
  const { log, close } = openLog(config.logLevel);
  const end = startRecurring(times, config, log);
  const signal = await ended;
  log.info({ signal }, 'ending');
  await end();
  log.info('closed');
  await close();
}

export const examples = ['', '--nightly "20 0 * * *"'];

export function declare(command: Command): void {
  declareTimes(command).action(async (times: Times) => {
    await schedule(times);
    process.exit(); // exits explicitly, because an unresponsive database connection would keep the process alive
  });
}
