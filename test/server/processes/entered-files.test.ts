/** The files that a cached request enters, counted in a running process: the architecture page lists them. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { projectRoot } from '../../../pipeline/base/project.js';
import { sharedServer, WALLETS } from '../harness.js';

const FILES_MAX = 14;

const server = sharedServer();

/** Returns the files of the program in which a function ran meanwhile. */
async function entered(work: () => Promise<void>): Promise<string[]> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    await session.post('Profiler.takePreciseCoverage'); // forgets what ran before
    await work();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const dist = join(projectRoot(), 'dist/');
    return result
      .filter(({ functions }) => functions.some(({ ranges }) => ranges[0]!.count > 0))
      .flatMap(({ url }) => (url.startsWith('file:') ? [fileURLToPath(url)] : []))
      .filter((path) => path.startsWith(dist) && !path.startsWith(`${dist}test/`))
      .map((path) => path.slice(dist.length).replace(/\.js$/, '.ts'))
      .sort();
  } finally {
    session.disconnect();
  }
}

test('a cached request enters the files that the architecture page lists, and few', async () => {
  const ask = async () => {
    const answer = await fetch(`${server.base}/api/tax/v1/events?address=${WALLETS.short}`);
    await answer.arrayBuffer();
    assert.equal(answer.status, 200);
  };
  for (let i = 0; i < 3; i++) await ask();
  // Timers of the server may run beside one request, but not beside each of them.
  let files = await entered(ask);
  for (let i = 0; i < 5; i++) {
    const again = new Set(await entered(ask));
    files = files.filter((file) => again.has(file));
  }
  assert.ok(files.includes('server/api/read-dataset.ts'), 'the coverage sees the program');
  const page = readFileSync(join(projectRoot(), 'docs/architecture.md'), 'utf8');
  const [, table = ''] = /passes through these files:\n\n([\s\S]*?)\n\n/.exec(page) ?? [];
  const listed = [...table.matchAll(/`([\w/-]+\.ts)`/g)].map(([, path]) => path!).sort();
  assert.deepEqual(files, listed);
  assert.ok(files.length <= FILES_MAX, `${files.length} files`);
});
