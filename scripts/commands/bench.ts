/** `hubledger bench`: runs the benchmarks. */
import type { Command } from 'commander';
import { readConfig } from '../../pipeline/config.js';
import { type BenchOptions, bench } from '../bench/bench.js';
import { wholeNumber } from './arguments.js';

export const examples = ['', '--only night'];

export function declare(command: Command): void {
  command
    .option('--recording <dir>', 'recording for the nightly run; default: the sample')
    .option('--only <part>', 'one part: night, fold, replay, requests or growth')
    .option('--times <n>', 'copies of the recording for growth; default: 5', wholeNumber)
    .action(async (options: BenchOptions) => {
      await bench(readConfig(), options);
    });
}
