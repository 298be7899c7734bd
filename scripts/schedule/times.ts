import { type Command, InvalidArgumentError } from 'commander';
import cron from 'node-cron';

/** Cron expressions, in UTC. */
export interface Times {
  readonly nightly: string;
  readonly watchReleases: string;
  readonly verify: string;
}

function cronTimes(text: string): string {
  if (!cron.validate(text)) throw new InvalidArgumentError('It must be a cron expression such as "20 0 * * *".');
  return text;
}

export const declareTimes = (command: Command): Command =>
  command
    .option('--nightly <cron>', 'times (UTC) of nightly runs', cronTimes, '20 0 * * *')
    .option('--watch-releases <cron>', 'times (UTC) at which to look for releases', cronTimes, '50 */6 * * *')
    .option(
      '--verify <cron>',
      'times (UTC) at which to compare holdings with a node of HUBLEDGER_LCD_URLS',
      cronTimes,
      '20 3 * * 0',
    );
