/** `npm run attack`: attacks a built server on loopback, prints a table and fails if other clients notice an attack. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { projectRoot } from '../../pipeline/base/project.js';
import { accountAttacks } from './accounts.js';
import { bodyAttacks } from './bodies.js';
import { connectionAttacks } from './connections.js';
import { damageAttacks } from './damage.js';
import { fairnessAttacks } from './fairness.js';
import { hangUpAttacks } from './hang-ups.js';
import { loadAttacks } from './load.js';
import { nodeAttacks } from './nodes.js';
import { rawRequests } from './raw-requests.js';
import { carryOut, type Outcome } from './suite.js';
import { environmentOf } from './victim.js';
import { Seeded } from './visitor.js';

const ATTACKS = [
  ...bodyAttacks,
  ...accountAttacks,
  ...nodeAttacks,
  ...loadAttacks,
  ...connectionAttacks,
  ...hangUpAttacks,
  ...fairnessAttacks,
  rawRequests,
  ...damageAttacks,
];

interface Options {
  readonly short?: true;
  readonly program: string;
  readonly data?: string;
  readonly seed: string;
}

/** Publishes the bundled sample with the program under attack. @returns the data folder */
function makeDataset(program: string): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'hubledger-attacked-'));
  const env = environmentOf({ dataDir });
  execFileSync(process.execPath, [program, 'nightly'], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  return dataDir;
}

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
  // On a small dataset the idle memory is about 200 MB, so other effects weigh more.
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
      const random = new Seeded(Number(seed));
      const outcome = await carryOut(one, { program, random, isShort: short === true, dataset, bounds });
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
  .argument('[names...]', 'attacks to carry out; default: all')
  .option('--short', 'only the attacks that take seconds')
  .option('--program <file>', 'the hubledger.js to attack', (file) => resolve(file), ownProgram)
  .option('--data <dir>', 'a data folder, of which copies are attacked; default: the bundled sample')
  .option('--seed <number>', 'seed of random bytes', '1')
  .addHelpText('after', `\nAttacks:\n${list}`)
  .action(attack)
  .parseAsync();
