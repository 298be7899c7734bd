/** The attacks as a program: it attacks a built server on loopback, prints a table, and fails where an attack is noticed by others. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { projectRoot } from '../../pipeline/project.js';
import { ATTACKS } from './attacks/index.js';
import { Seeded } from './seeded.js';
import { carryOut, type Outcome } from './suite.js';
import { assignments } from './victim.js';

interface Options {
  readonly short?: true;
  readonly program: string;
  readonly data?: string;
  readonly seed: string;
}

/** Makes the dataset of the bundled sample, by the program under attack. @returns its folder */
function makeDataset(program: string): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'hubledger-attacked-'));
  const words = [...assignments({ dataDir }), process.execPath, program, 'nightly'];
  execFileSync('env', words, { stdio: ['ignore', 'ignore', 'inherit'] });
  return dataDir;
}

/** The head of the table, and the formula that its memory is judged by. */
const HEAD = [
  'attack',
  'stall ms',
  'p99 ms',
  'turn ms',
  'MB idle',
  'MB most',
  'served',
  'of idle',
  'end ms',
  'holds',
  'lost',
];
const FORMULA =
  'of idle: (MB most - MB served at that moment) / MB idle, at most 1.5; MB are resident, caches are not served';
const WIDTHS = [16, 9, 8, 8, 8, 8, 8, 8, 8, 6];

const line = (cells: readonly (string | number)[]) =>
  cells
    .map((cell, i) => (i === 0 ? String(cell).padEnd(WIDTHS[i]!) : String(cell).padStart(WIDTHS[i] ?? 0)))
    .join('  ');

const cellsOf = ({ name, stallMs, p99Ms, turnMs, idleMb, ownMb, servedMb, endMs, holds, lost }: Outcome) => [
  name,
  ...[stallMs, p99Ms, turnMs, idleMb, ownMb + servedMb].map((figure) => Math.round(figure)),
  servedMb.toFixed(1),
  (idleMb > 0 ? ownMb / idleMb : 0).toFixed(2),
  Math.round(endMs),
  holds ? 'yes' : 'NO',
  lost,
];

async function attack(names: readonly string[], { short, program, data, seed }: Options): Promise<void> {
  const isMeant = (name: string, isShort: boolean) => (names.length > 0 ? names.includes(name) : isShort || !short);
  // Small attacks on a small dataset: of two hundred megabytes that are idle, a machine's own habits make more than a half.
  const bounds = short ? { growth: 2 } : {};
  const meant = ATTACKS.filter(({ name, isShort }) => isMeant(name, isShort));
  let made: string | undefined;
  const sample = () => {
    made ??= makeDataset(program);
    return made;
  };
  try {
    console.log(`${FORMULA}\n${line(HEAD)}`);
    const outcomes: Outcome[] = [];
    for (const one of meant) {
      const dataset = one.needsSample ? sample() : (data ?? sample());
      const outcome = await carryOut(one, { program, random: new Seeded(Number(seed)), dataset, bounds });
      console.log(line(cellsOf(outcome)));
      outcomes.push(outcome);
    }
    if (outcomes.length === 0 || !outcomes.every(({ holds }) => holds)) process.exitCode = 1;
  } finally {
    if (made) rmSync(made, { recursive: true, force: true });
  }
}

const list = ATTACKS.map(({ name, what }) => `  ${name.padEnd(16)}${what}`).join('\n');
const ownProgram = join(projectRoot(), 'dist/scripts/hubledger.js');
await new Command('attack')
  .argument('[names...]', 'attacks to carry out, by default all')
  .option('--short', 'those of a few seconds')
  .option('--program <file>', 'the hubledger.js to attack', (file) => resolve(file), ownProgram)
  .option('--data <dir>', 'a data folder with a dataset, of which copies are attacked; by default the sample is made')
  .option('--seed <number>', 'seed of what is made at random', '1')
  .addHelpText('after', `\nAttacks:\n${list}`)
  .action(attack)
  .parseAsync();
