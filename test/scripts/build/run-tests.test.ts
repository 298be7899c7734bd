/** `npm test`: its files, output and exit code on a machine without optional programs. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { projectRoot } from '../../../pipeline/base/project.js';

const runner = join(projectRoot(), 'scripts/build/run-tests.mjs');
const { listTests, testsOfTier, testsOfWord, tiers } = (await import(pathToFileURL(runner).href)) as {
  listTests: () => string[];
  testsOfTier: (tier: string, tests?: string[]) => string[];
  testsOfWord: (word: string, tests?: string[]) => string[];
  tiers: Readonly<Record<string, string[]>>;
};

let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'hubledger-runner-'));
});
after(() => rmSync(folder, { recursive: true }));

/** Runs a test file with this text on a machine whose path contains only an apt-get. */
function run(code: string, environment: Record<string, string> = {}) {
  const file = join(folder, 'some.test.mjs');
  const requirements = pathToFileURL(join(projectRoot(), 'dist/test/requirements.js'));
  writeFileSync(
    file,
    `import { describe, test } from 'node:test'; import { programs } from '${requirements}';\n${code}`,
  );
  writeFileSync(join(folder, 'apt-get'), '#!/bin/sh\n');
  chmodSync(join(folder, 'apt-get'), 0o755);
  const { status, stdout } = spawnSync(process.execPath, [runner, file], {
    encoding: 'utf8',
    env: { PATH: folder, ...environment },
  });
  const lines = stdout.trimEnd().split('\n');
  return { status, lines, last: lines.at(-1)! };
}

const PARTLY = `test('runs', () => {}); for (const program of programs('redis')) test('is left out', () => { throw program; });`;

test('a part without its program is skipped and named with the command that installs it', () => {
  const { status, lines, last } = run(PARTLY);
  assert.equal(status, 0);
  assert.equal(
    last,
    'left out, for lack of programs: quotas on Redis; to install: scripts/build/install-test-servers.sh',
  );
  for (const total of ['tests 2', 'pass 1', 'fail 0', 'skipped 1']) assert.ok(lines.includes(`ℹ ${total}`), total);
});

test('in CI only parts that the system does not allow may be left out', () => {
  const { status, last } = run(PARTLY, { CI: 'true' });
  assert.equal(status, 1);
  assert.match(last, /^left out, which fails in CI, for lack of programs: quotas on Redis; /);
  assert.equal(run(`test('runs', () => {});`, { CI: 'true' }).status, 0);
  const forbidden = run(`test('runs', () => {}); programs('namespaces');`, { CI: 'true' });
  assert.equal(forbidden.status, 0);
  assert.equal(forbidden.last, 'left out, because this system does not allow it: containers on one data folder');
});

test('each finished file has a line with the number of failed files, the last line names them; totals count tests', () => {
  const { status, lines, last } = run(
    `describe('suite', () => { test('runs', () => {}); test('fails', () => { throw new Error('because'); }); });`,
  );
  assert.equal(status, 1);
  assert.match(lines.join('\n'), /^1\/1 {2}\S*some\.test\.mjs {2}\d+\.\d s {2}1 failed$/m);
  assert.equal(lines.filter((line) => line.includes('because')).length, 1);
  assert.match(last, /^failed: \S*some\.test\.mjs$/);
  for (const total of ['tests 2', 'suites 1', 'pass 1', 'fail 1']) assert.ok(lines.includes(`ℹ ${total}`), total);
});

test('a test file that ends its process fails the run', () => {
  const { status, lines } = run(`test('runs', () => {}); test('ends', () => process.kill(process.pid, 'SIGKILL'));`);
  assert.equal(status, 1);
  assert.ok(lines.includes('ℹ fail 1'));
});

test('a run without a test fails', () => {
  const { status, last } = run('');
  assert.deepEqual([status, last], [1, 'no test ran']);
});

test('each test file runs in one tier, and each entry of the tiers names a file', () => {
  const tests = listTests();
  const quick = testsOfTier('quick');
  const all = testsOfTier('all');
  assert.ok(quick.every((path) => all.includes(path)));
  const atNight = testsOfTier('night').filter((path) => !all.includes(path));
  assert.deepEqual([...all, ...atNight].sort(), tests);
  const isNamed = (entry: string) =>
    tests.some((path) => path.startsWith(`test/${entry}${entry.endsWith('/') ? '' : '.test.ts'}`));
  assert.deepEqual(
    Object.values(tiers)
      .flat()
      .filter((entry) => !isNamed(entry)),
    [],
  );
});

test('words and paths find test files, but no browser tests by accident', () => {
  assert.deepEqual(testsOfWord('ledger/lots'), ['test/books/ledger/lots.test.ts']);
  assert.deepEqual(testsOfWord('test/books/ledger/lots.test.ts'), ['test/books/ledger/lots.test.ts']);
  assert.deepEqual(testsOfWord('no such test'), []);
  const tests = ['test/docs.test.ts', 'test/server/web/browser/docs.test.ts', 'test/server/web/browser/settle.test.ts'];
  assert.deepEqual(testsOfWord('docs', tests), tests.slice(0, 1));
  assert.deepEqual(testsOfWord('test/docs.test', tests), tests.slice(0, 1));
  assert.deepEqual(testsOfWord('browser/docs', tests), tests.slice(1, 2));
  assert.deepEqual(testsOfWord('settle', tests), tests.slice(2));
});
