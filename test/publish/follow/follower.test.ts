/** Servers that follow another one, and generations that somebody copied into the data folder. */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { fileSha256 } from '../../../pipeline/base/disk/atomic-files.js';
import { generationDir, readManifest } from '../../../pipeline/publish/generation.js';
import type { Readiness } from '../../../schemas/types.generated.js';
import { NightCase } from '../../pipeline/night-case.js';
import { startServer, type TestServer } from '../../server/harness.js';
import { FaultyServer } from './faulty-server.js';

const chain = new NightCase();
const made: string[] = [];

before(async () => {
  for (const [i, until] of [500, 510, 520].entries()) {
    const folder = chain.path(`night-${i}`);
    if (i > 0) cpSync(chain.path(`night-${i - 1}`), folder, { recursive: true });
    made.push((await chain.night(`night-${i}`, { until })).generation);
  }
});
after(() => chain.remove());

const start = (dataDir: string, more: Record<string, string> = {}) =>
  startServer({ published: false, environment: { HUBLEDGER_DATA_DIR: chain.path(dataDir), ...more } });

/** Puts a generation in force in a folder of an upstream. */
function publish(dataDir: string, i: number): void {
  mkdirSync(chain.path(dataDir), { recursive: true });
  for (const part of ['generations', 'stores', 'CURRENT']) {
    cpSync(chain.path(`night-${i}`, part), chain.path(dataDir, part), { recursive: true });
  }
}

async function readiness(server: TestServer): Promise<Partial<Readiness> & { readonly detail?: string }> {
  return (await server.ask('/readyz')).json();
}

async function until(isTrue: () => Promise<boolean> | boolean, what: string): Promise<void> {
  for (const end = Date.now() + 60_000; !(await isTrue()); await wait(50)) assert.ok(Date.now() < end, what);
}

test('a server with an empty folder follows, switches without a failed request, and survives its upstream', async (t) => {
  const source = await start('source');
  t.after(() => source.close());
  const between = await FaultyServer.start(source.base, t);
  const follower = await start('empty', { HUBLEDGER_FOLLOW_URL: between.url });
  t.after(() => follower.close());
  await until(async () => (await readiness(follower)).detail?.includes('has no dataset yet') ?? false, 'says why');
  publish('source', 0);
  await until(async () => (await readiness(follower)).generation === made[0], 'the first generation');
  const asked = { count: 0, isDone: false };
  const asking = (async () => {
    for (; !asked.isDone; asked.count++) assert.equal((await follower.ask('/api/tax/v1/tags')).status, 200);
  })();
  publish('source', 1);
  await until(async () => (await readiness(follower)).generation === made[1], 'the second generation');
  await until(async () => (await readiness(follower)).follows?.last_success !== null, 'success');
  const { follows } = await readiness(follower);
  assert.deepEqual([follows?.upstream, follows?.generation, follows?.failures], [between.url, made[1], 0]);
  await between.close();
  await until(async () => ((await readiness(follower)).follows?.failures ?? 0) > 0, 'a failure');
  const away = await readiness(follower);
  assert.match(away.follows!.error!, /does not answer \(ECONNREFUSED\)/);
  assert.equal(away.generation, made[1]);
  between.fault = ({ path }) => (/\/transactions\/\d/.test(path) && isFirst() ? 'wrong-byte' : undefined);
  let wrong = 0;
  const isFirst = () => wrong++ === 0;
  publish('source', 2);
  await between.open();
  await until(async () => (await readiness(follower)).generation === made[2], 'the third generation');
  asked.isDone = true;
  await asking;
  assert.ok(asked.count > 10);
  const lines = follower.log.map(({ msg }) => String(msg));
  const outages = ['has no dataset yet', 'does not answer'];
  for (const outage of outages) {
    assert.ok(
      lines.some((line) => line.startsWith("the upstream's dataset cannot be taken over") && line.includes(outage)),
    );
  }
  assert.ok(lines.some((line) => /sent wrong bytes of .*transactions.*fetching it again/.test(line)));
  const kept = () => readdirSync(chain.path('empty/generations')).filter((name) => !name.startsWith('.'));
  await until(() => kept().length === 2, 'the oldest goes');
  assert.deepEqual(kept().sort(), made.slice(1).sort());
});

test('a server follows an object store, and never serves a damaged object', async (t) => {
  const store = chain.path('store');
  mkdirSync(store);
  const variables = { HUBLEDGER_STORE_URL: pathToFileURL(store).href };
  chain.variables = variables;
  const { generation } = await chain.night('publisher', { until: 500 });
  chain.variables = {};
  const source = generationDir(chain.path('publisher'), generation);
  const { tables } = readManifest(source);
  const [file] = tables.find(({ name }) => name === 'transactions')!.files;
  const object = join(store, 'objects', file!.sha256);
  const right = readFileSync(object);
  const wrong = Buffer.from(right);
  wrong[right.length >> 1]! ^= 1;
  writeFileSync(object, wrong);
  const server = await start('of-store', variables);
  t.after(() => server.close());
  await until(async () => (await readiness(server)).detail?.includes(`${file!.sha256} in`) ?? false, 'names it');
  assert.match((await readiness(server)).detail!, /is damaged: its bytes have SHA-256/);
  writeFileSync(object, right);
  await until(async () => (await readiness(server)).generation === generation, 'served');
  assert.equal((await readiness(server)).follows!.upstream, variables.HUBLEDGER_STORE_URL);
  assert.deepEqual(await treeOf(generationDir(chain.path('of-store'), generation)), await treeOf(source));
});

async function treeOf(folder: string): Promise<Record<string, string>> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.\w+$/.test(name))
    .sort();
  return Object.fromEntries(await Promise.all(files.map(async (name) => [name, await fileSha256(join(folder, name))])));
}

test('nightly runs stay out of a folder that follows', async (t) => {
  const server = await start('follows', { HUBLEDGER_FOLLOW_URL: 'http://127.0.0.1:9' });
  t.after(() => server.close());
  chain.variables = { HUBLEDGER_FOLLOW_URL: 'http://127.0.0.1:9' };
  const refused = await chain.command('follows', 'nightly');
  assert.equal(refused.code, 2);
  assert.match(refused.error, /^hubledger: HUBLEDGER_FOLLOW_URL is set, [^\n]+\n$/);
  chain.variables = {};
  await until(async () => ((await readiness(server)).detail ?? '').includes('does not answer'), 'follows');
  const running = await chain.command('follows', 'nightly');
  assert.equal(running.code, 5);
  assert.match(running.error, /^hubledger: a server follows another one in this folder[^\n]+\n$/);
});

test('a generation that was copied by hand is served as soon as it is complete', async (t) => {
  publish('by-hand', 0);
  const server = await start('by-hand');
  t.after(() => server.close());
  assert.equal((await readiness(server)).generation, made[0]);
  const folder = chain.path('by-hand');
  const [from, to] = [chain.path('night-2'), folder].map((dataDir) => generationDir(dataDir, made[2]!));
  cpSync(from!, to!, { recursive: true });
  rmSync(join(to!, 'transactions'), { recursive: true });
  writeFileSync(join(folder, 'CURRENT'), `${made[2]}\n`);
  const waits = () => server.log.some(({ msg }) => msg === 'waiting for a complete generation');
  await until(waits, 'it is incomplete');
  assert.equal((await readiness(server)).generation, made[0]);
  cpSync(join(from!, 'transactions'), join(to!, 'transactions'), { recursive: true });
  await until(async () => (await readiness(server)).generation === made[2], 'served');
  const source = await start('night-2');
  t.after(() => source.close());
  const path = '/api/tax/v1/tags';
  assert.equal((await server.ask(path)).text, (await source.ask(path)).text);
});
