/** Attacks that tests carry out: locks in containers, servers that share a store, damage to every file, a database that goes away. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { projectRoot } from '../../../pipeline/project.js';
import type { Attack } from '../suite.js';

/** Runs a test file in its long form. @returns the number of tests that passed and that failed */
async function runTests(file: string): Promise<{ passed: number; failed: number }> {
  const program = join(projectRoot(), `dist/test/${file}.test.js`);
  const child = spawn(process.execPath, [program, '--full'], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [report] = await Promise.all([text(child.stdout), once(child, 'close')]);
  const countOf = (kind: string) => Number(new RegExp(`^# ${kind} (\\d+)$`, 'm').exec(report)?.[1] ?? 0);
  return { passed: countOf('pass'), failed: countOf('fail') + countOf('cancelled') };
}

const tested = (name: string, what: string, file: string): Attack => ({
  name,
  what,
  isShort: false,
  // The tests have servers of their own, and keep the machine busy.
  bounds: { stallMs: Number.POSITIVE_INFINITY },
  async run() {
    const { passed, failed } = await runTests(file);
    return { lost: `${failed} of ${passed + failed} tests`, holds: failed === 0 && passed > 0 };
  },
});

export const testedAttacks: readonly Attack[] = [
  tested('containers', 'nights, servers and the command line in containers on one folder', 'scripts/containers'),
  tested(
    'shared store',
    'two servers on one PostgreSQL, 240 keys and twenty rounds of SIGKILL',
    'scripts/shared-store',
  ),
  tested('damaged files', 'every file of a data folder cut, emptied, changed and removed', 'pipeline/damaged-data'),
  tested('full disk', 'a disk in memory that fills up under the store', 'scripts/full-disk'),
  tested('lost database', 'PostgreSQL stopped and frozen, the embedded store broken', 'server/store/outage'),
  tested('power cut', 'what the store has acknowledged is on disk', 'server/store/store'),
];
