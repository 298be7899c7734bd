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

/** Makes the dataset of the bundled sample in a folder, by the program under attack. */
function makeDataset(program: string, dataDir: string): void {
  const words = [...assignments({ dataDir }), process.execPath, program, 'nightly'];
  execFileSync('env', words, { stdio: ['ignore', 'ignore', 'inherit'] });
}

const HEAD = ['attack', 'stall ms', 'p99 ms', 'turn ms', 'MB idle', 'MB most', 'end ms', 'holds', 'lost'];
const WIDTHS = [16, 9, 8, 8, 8, 8, 8, 6];

const line = (cells: readonly (string | number)[]) =>
  cells
    .map((cell, i) => (i === 0 ? String(cell).padEnd(WIDTHS[i]!) : String(cell).padStart(WIDTHS[i] ?? 0)))
    .join('  ');

const cellsOf = ({ name, stallMs, p99Ms, turnMs, idleMb, peakMb, endMs, holds, lost }: Outcome) => [
  name,
  ...[stallMs, p99Ms, turnMs, idleMb, peakMb, endMs].map((figure) => Math.round(figure)),
  holds ? 'yes' : 'NO',
  lost,
];

async function attack(names: readonly string[], { short, program, data, seed }: Options): Promise<void> {
  const isMeant = (name: string, isShort: boolean) => (names.length > 0 ? names.includes(name) : isShort || !short);
  const meant = ATTACKS.filter(({ name, isShort }) => isMeant(name, isShort));
  const made = data === undefined ? mkdtempSync(join(tmpdir(), 'hubledger-attacked-')) : undefined;
  try {
    if (made) makeDataset(program, made);
    console.log(line(HEAD));
    const outcomes: Outcome[] = [];
    for (const one of meant) {
      const outcome = await carryOut(one, program, data ?? made!, new Seeded(Number(seed)));
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
