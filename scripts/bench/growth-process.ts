/**
 * Measures, in a separate process, each step of a nightly run. Arguments: <HUBLEDGER_ variables as JSON> <last height
 * or day>. Linux only.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { readConfig } from '../../pipeline/config.js';
import { USUAL_WORKERS } from '../../pipeline/night/jobs/thread-pool.js';
import type { Progress } from '../../pipeline/night/progress.js';
import { runNight } from '../../pipeline/run-night.js';
import type { NightCost, StepCost } from './measured.js';

const numberIn = (file: string, pattern: RegExp) =>
  Number(pattern.exec(readFileSync(`/proc/self/${file}`, 'utf8'))![1]);

/** Resets the peak of resident memory that Linux reports (man 5 proc, clear_refs). */
const forgetPeak = () => writeFileSync('/proc/self/clear_refs', '5');

function usage(): StepCost {
  const { user, system } = process.cpuUsage();
  return {
    cpuSeconds: (user + system) / 1e6,
    wallSeconds: performance.now() / 1000,
    peakMiB: numberIn('status', /^VmHWM:\s*(\d+)/m) / 1024,
    writtenMB: numberIn('io', /^wchar: (\d+)/m) / 1e6,
  };
}

const steps: Record<string, StepCost> = {};
let before = usage();
const meter: Progress = {
  begin() {
    forgetPeak();
    before = usage();
  },
  end(step) {
    const { cpuSeconds, wallSeconds, writtenMB, peakMiB } = usage();
    steps[step] = {
      cpuSeconds: cpuSeconds - before.cpuSeconds,
      wallSeconds: wallSeconds - before.wallSeconds,
      peakMiB,
      writtenMB: writtenMB - before.writtenMB,
    };
  },
  update() {},
  fail() {},
  say() {},
};

const [variables, until] = process.argv.slice(2) as [string, string];
const { height } = await runNight(
  readConfig(JSON.parse(variables)),
  { until, workers: USUAL_WORKERS, isSerial: true },
  meter,
);
process.send!({ height, steps } satisfies NightCost);
