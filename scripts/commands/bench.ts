/** `hubledger bench`: the benchmarks. */
import type { Command } from 'commander';
import { readConfig } from '../../pipeline/config.js';
import { type BenchOptions, bench } from '../bench/bench.js';

export function declare(command: Command): void {
  command
    .option('--recording <dir>', 'the recording to measure the night with, by default the bundled sample')
    .option('--only <part>', 'night, fold, replay, requests, contracts or page')
    .option('--browser <program>', 'also the report, in this Chromium')
    .option(
      '--full',
      'also a starting state of three million accounts and a day of blocks, which takes a quarter of an hour',
    )
    .action(async (options: BenchOptions) => {
      await bench(readConfig(), options);
    });
}
