/**
 * Compares the costs of a first and a second nightly run, step by step, on a short and on a long chain. The long chain
 * repeats a recording. Its last two days equal those of the short chain, except for addresses. If costs do not depend
 * on the length of the chain, both second runs cost the same.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { VariableError } from '../../pipeline/base/config-error.js';
import { addDays } from '../../pipeline/base/values/day.js';
import { growRecording } from '../recordings/grow.js';
import { type NightCost, type StepCost, workOf } from './measured.js';
import { priceDirOf, type Settings, variables } from './settings.js';
import { alignColumns } from './table.js';

/** Costs of a first run that ends two days before the last day, and of a second run for these two days. */
interface Growth {
  readonly chain: string;
  readonly whole: NightCost;
  readonly further: NightCost;
}

const NIGHT = new URL('./growth-process.js', import.meta.url);

/**
 * The time that the runs use as the current time. It must be later than all blocks, because blocks from the future are
 * rejected.
 */
const LATER = '9000-01-01T00:00:00Z';

/**
 * Measures nightly runs. First on the recording with its starting state, if it has one. Then without holdings, on one
 * copy of the recording and on all copies.
 * @returns one table for each kind of cost
 * @throws VariableError if the system does not count the bytes that a process writes
 */
export async function measureGrowth(settings: Settings, times: number): Promise<string> {
  if (!existsSync('/proc/self/io')) throw new VariableError('--only growth needs Linux (/proc/self/io)');
  const grown = join(settings.workDir, 'grown');
  const { lastDay, days } = await growRecording(settings.recording, grown, { times, priceDir: priceDirOf(settings) });
  const onGrown = { ...settings, recording: grown };
  const lastOfAll = addDays(lastDay, (times - 1) * days);
  const growth: Growth[] = [];
  if (existsSync(join(settings.recording, 'genesis.json.gz')))
    growth.push(await measureNights(settings, 'with holdings', lastDay));
  growth.push(await measureNights(onGrown, '1 copy', lastDay));
  growth.push(await measureNights(onGrown, `${times} copies`, lastOfAll));
  return formatGrowth(growth);
}

async function measureNights(settings: Settings, chain: string, lastDay: string): Promise<Growth> {
  const dataDir = join(settings.workDir, `growth-${chain.replaceAll(' ', '-')}`);
  const environment = variables(settings, dataDir, { HUBLEDGER_NOW: LATER });
  // Leaves out the last day, because it may be incomplete.
  const whole = await workOf<NightCost>(NIGHT, environment, addDays(lastDay, -3));
  const further = await workOf<NightCost>(NIGHT, environment, addDays(lastDay, -1));
  return { chain, whole, further };
}

const amount = (value: number) => value.toFixed(value < 10 ? 2 : 0);
/** Returns a ratio, or '' if the divisor is so small that the tables show it as zero. */
const ratio = (one: number, other: number) => (other < 0.005 ? '' : (one / other).toFixed(2));

function formatGrowth(growth: readonly Growth[]): string {
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const kinds: [string, keyof StepCost, (values: readonly number[]) => number][] = [
    ['CPU seconds', 'cpuSeconds', sum],
    ['wall seconds, one step at a time', 'wallSeconds', sum],
    ['peak MiB', 'peakMiB', (values) => Math.max(...values)],
    ['MB written', 'writtenMB', sum],
  ];
  const head = growth.flatMap(({ chain }) => [chain, 'further', 'share']);
  const heights = growth.map(
    ({ chain, whole, further }) => `${chain}: to block ${whole.height}, then ${further.height}`,
  );
  const [short, long] = growth.slice(-2) as [Growth, Growth];
  const tables = kinds.map(([name, kind, total]) => {
    const line = (label: string, costOf: (night: NightCost) => number) => [
      label,
      ...growth.flatMap(({ whole, further }) => {
        const [one, other] = [costOf(whole), costOf(further)];
        return [amount(one), amount(other), ratio(other, one)];
      }),
      ratio(costOf(long.further), costOf(short.further)),
    ];
    const steps = Object.keys(long.whole.steps).map((step) => line(step, (night) => night.steps[step]![kind]));
    const all = line('night', (night) => total(Object.values(night.steps).map((cost) => cost[kind])));
    return alignColumns([[name, ...head, 'long / short'], ...steps, all], (column) => column > 0);
  });
  return [heights.join('; '), ...tables].join('\n\n');
}
