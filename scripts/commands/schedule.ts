/** `hubledger schedule`: runs recurring jobs beside the server. */
import { type Command, InvalidArgumentError } from 'commander';
import cron from 'node-cron';
import { schedule, type Times } from '../schedule/schedule.js';

function cronTimes(text: string): string {
  if (!cron.validate(text)) throw new InvalidArgumentError('It must be a cron expression such as "20 0 * * *".');
  return text;
}

export const examples = ['', '--nightly "20 0 * * *"'];

export function declare(command: Command): void {
  command
    .option('--nightly <cron>', 'when nights run (UTC)', cronTimes, '20 0 * * *')
    .option('--watch-releases <cron>', 'when the release watcher runs', cronTimes, '50 */6 * * *')
    .option(
      '--verify <cron>',
      'when holdings are compared with a node, if HUBLEDGER_LCD_URLS names one',
      cronTimes,
      '20 3 * * 0',
    )
    .action(async (times: Times) => {
      await schedule(times);
      process.exit(); // an unresponsive database must not keep the ended process alive
    });
}
