/** `npm test` on a machine that lacks programs which parts of the tests run on. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { projectRoot } from '../../../pipeline/project.js';

const dist = join(projectRoot(), 'dist');
let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'hubledger-runner-'));
});
after(() => rmSync(folder, { recursive: true }));

/** Runs a test file of this text on a machine whose path has nothing but an apt-get. */
function run(code: string, environment: Record<string, string> = {}) {
  const file = join(folder, 'some.test.mjs');
  const requirements = pathToFileURL(join(dist, 'test/requirements.js'));
  writeFileSync(file, `import { test } from 'node:test'; import { programs } from '${requirements}';\n${code}`);
  writeFileSync(join(folder, 'apt-get'), '#!/bin/sh\n');
  chmodSync(join(folder, 'apt-get'), 0o755);
  const { status, stdout } = spawnSync(process.execPath, [join(projectRoot(), 'scripts/build/run-tests.mjs'), file], {
    encoding: 'utf8',
    env: { PATH: folder, ...environment },
  });
  return { status, last: stdout.trimEnd().split('\n').at(-1)! };
}

const PARTLY = `test('runs', () => {}); for (const program of programs('redis')) test('is left out', () => { throw program; });`;

test('a part without its program is left out with exit code 0, named with the command that installs it', () => {
  const { status, last } = run(PARTLY);
  assert.equal(status, 0);
  assert.equal(
    last,
    `left out, for lack of their programs: quotas on Redis; installed by scripts/build/install-test-servers.sh`,
  );
});

test('in CI nothing may be left out but what the system does not allow', () => {
  const { status, last } = run(PARTLY, { CI: 'true' });
  assert.equal(status, 1);
  assert.match(last, /^left out, which fails in CI, for lack of their programs: quotas on Redis; /);
  assert.equal(run(`test('runs', () => {});`, { CI: 'true' }).status, 0);
  const forbidden = run(`test('runs', () => {}); programs('namespaces');`, { CI: 'true' });
  assert.deepEqual(forbidden, {
    status: 0,
    last: 'left out, as this system does not allow it: containers on one data folder',
  });
});

test('a failed test fails the run, and so does one that ends its process', () => {
  assert.equal(run(`${PARTLY} test('fails', () => { throw new Error(); });`).status, 1);
  assert.equal(run(`test('runs', () => {}); test('ends', () => process.kill(process.pid, 'SIGKILL'));`).status, 1);
});

test('a word and a whole path both name a test file', async () => {
  const { isAsked } = await import(pathToFileURL(join(projectRoot(), 'scripts/build/run-tests.mjs')).href);
  for (const words of [[], ['lots'], ['nothing', 'test/ledger/lots.test.ts']])
    assert.ok(isAsked('ledger/lots.test.js', words));
  assert.ok(!isAsked('ledger/lots.test.js', ['test/ledger/amount.test.ts']));
});
