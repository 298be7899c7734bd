/** Servers that follow another one, and generations that somebody copied into the data folder. */
import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { fileSha256 } from '../../../pipeline/base/disk/atomic-files.js';
import { generationDir, readManifest } from '../../../pipeline/publish/generation.js';
import type { Readiness } from '../../../schemas/types.generated.js';
import { NightCase } from '../../pipeline/night-case.js';
import { startServer, type TestServer } from '../../server/harness.js';
import { becomes, until } from '../../until.js';
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

/** @returns the error */
async function untilError(server: TestServer, fault: RegExp): Promise<string> {
  const errorOf = async () => (await readiness(server)).follows?.error ?? '';
  await until(async () => fault.test(await errorOf()), `an error like ${fault}`);
  return errorOf();
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
  const following = async () => {
    const { follows } = await readiness(follower);
    return [follows?.upstream, follows?.generation, follows?.failures, follows?.last_success !== null];
  };
  await becomes(following, [between.url, made[1], 0, true]);
  await between.close();
  await untilError(follower, /does not answer \(ECONNREFUSED\)/);
  assert.equal((await readiness(follower)).generation, made[1]);
  between.fault = ({ path }) => (/\/transactions\/\d/.test(path) && isFirst() ? 'wrong-byte' : undefined);
  let wrong = 0;
  const isFirst = () => wrong++ === 0;
  publish('source', 2);
  await between.open();
  await until(async () => (await readiness(follower)).generation === made[2], 'the third generation');
  await until(() => asked.count > 10, 'it answers all the while');
  asked.isDone = true;
  await asking;
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

/** Runs the command `status` beside a server. */
async function statusOf(dataDir: string, server: TestServer, variables: Record<string, string>): Promise<string> {
  chain.variables = { ...variables, HUBLEDGER_PORT: String(server.port) };
  const { out } = await chain.command(dataDir, 'status');
  chain.variables = {};
  return out;
}

/** Requires that a server answers from the first generation, and names a fault in its log, in /readyz and in `status`. */
async function requireNamed(dataDir: string, variables: Record<string, string>, fault: RegExp): Promise<void> {
  const server = await start(dataDir, variables);
  try {
    await untilError(server, fault);
    assert.equal((await readiness(server)).generation, made[0]);
    assert.equal((await server.ask('/api/tax/v1/tags')).status, 200);
    const isNamed = (line: string) =>
      line.startsWith("the upstream's dataset cannot be taken over") && fault.test(line);
    await until(() => server.log.some(({ msg }) => isNamed(String(msg))), 'a line in the log');
    assert.match(await statusOf(dataDir, server, variables), fault);
    assert.equal(existsSync(generationDir(chain.path(dataDir), made[1]!)), false);
  } finally {
    await server.close();
  }
}

const spoiled = (bytes: Buffer): Buffer => {
  const wrong = Buffer.from(bytes);
  wrong[bytes.length >> 1]! ^= 1;
  return wrong;
};

test('a wrong byte of any kind in a store is named, and never served', async () => {
  const [publisher, store] = ['publisher-of-kinds', 'store-of-kinds'].map((name) => chain.path(name));
  const copy = (from: string, name: string) => cpSync(join(from, name), join(store!, name), { recursive: true });
  chain.variables = { HUBLEDGER_STORE_URL: pathToFileURL(publisher!).href };
  await chain.night('kinds', { until: 500 });
  cpSync(publisher!, store!, { recursive: true });
  const { generation } = await chain.night('kinds', { until: 510 });
  chain.variables = {};
  assert.equal(generation, made[1]);
  const variables = { HUBLEDGER_STORE_URL: pathToFileURL(store!).href };
  const first = await start('of-kinds', variables);
  await until(async () => (await readiness(first)).generation === made[0], 'the first generation');
  await first.close();
  for (const name of readdirSync(publisher!)) copy(publisher!, name);
  const { files } = JSON.parse(readFileSync(join(store!, `generations/${generation}/files.json`), 'utf8'));
  const before = JSON.parse(readFileSync(join(store!, `generations/${made[0]}/files.json`), 'utf8')).files;
  const known = new Set(before.map(({ sha256 }: { sha256: string }) => sha256));
  const objectOf = (pattern: RegExp): string => {
    const found = files.find(
      (one: { path: string; sha256: string }) => pattern.test(one.path) && !known.has(one.sha256),
    );
    return `objects/${found.sha256}`;
  };
  for (const [name, wrong] of [
    ['CURRENT', () => Buffer.from('{')],
    [`generations/${generation}/manifest.json`, spoiled],
    [`generations/${generation}/files.json`, () => Buffer.from('[]')],
    [objectOf(/^transactions\/.*\.parquet$/), spoiled],
    [objectOf(/\/_delta_log\//), spoiled],
  ] as const) {
    const right = readFileSync(join(store!, name));
    writeFileSync(join(store!, name), wrong(right));
    rmSync(chain.path('of-kinds/generations/.pulling'), { recursive: true, force: true });
    await requireNamed('of-kinds', variables, new RegExp(`${name} in ${variables.HUBLEDGER_STORE_URL} is damaged`));
    writeFileSync(join(store!, name), right);
  }
  const last = await start('of-kinds', variables);
  await until(async () => (await readiness(last)).generation === generation, 'the second generation');
  await last.close();
});

test('a wrong byte of any kind from a server is named, and never served', async (t) => {
  cpSync(chain.path('night-0'), chain.path('of-server'), { recursive: true });
  const source = await start('night-1');
  t.after(() => source.close());
  const between = await FaultyServer.start(source.base, t);
  const variables = { HUBLEDGER_FOLLOW_URL: between.url };
  for (const [path, fault] of [
    [/\/manifest\.json$/, /the manifest of \S+ is damaged/],
    [/\/transactions\/[^/]*\.parquet$/, /sent wrong bytes of \S+\/transactions\/\S+: SHA-256/],
    [/\/transactions\/_delta_log\//, /sent wrong bytes of \S+\/transactions\/_delta_log\/\S+/],
  ] as const) {
    between.fault = (request) => (path.test(request.path) ? 'wrong-byte' : undefined);
    await requireNamed('of-server', variables, fault);
  }
});

test('an older generation of another server changes nothing', async (t) => {
  cpSync(chain.path('night-0'), chain.path('older'), { recursive: true });
  const source = await start('older');
  t.after(() => source.close());
  cpSync(chain.path('night-2'), chain.path('newer'), { recursive: true });
  const variables = { HUBLEDGER_FOLLOW_URL: source.base };
  const server = await start('newer', variables);
  const error = await untilError(server, new RegExp(`has ${made[0]}, which is older than ${made[2]}: `));
  assert.equal((await readiness(server)).generation, made[2]);
  const removed = error.split(' remove ')[1]!;
  rmSync(removed);
  await until(async () => (await readiness(server)).generation === made[0], 'the older one, as the error says');
  await server.close();
});

test('a follower takes the next generation if its upstream removes the one that it fetches', async (t) => {
  publish('removing', 0);
  const source = await start('removing');
  t.after(() => source.close());
  const between = await FaultyServer.start(source.base, t);
  let isRemoved = false;
  between.fault = ({ path }) => {
    if (isRemoved || !/\/transactions\/\d/.test(path)) return undefined;
    isRemoved = true;
    publish('removing', 1);
    rmSync(generationDir(chain.path('removing'), made[0]!), { recursive: true });
    return undefined;
  };
  const follower = await start('lagging', { HUBLEDGER_FOLLOW_URL: between.url });
  t.after(() => follower.close());
  await until(async () => (await readiness(follower)).generation === made[1], 'the next generation');
  assert.ok(isRemoved);
  assert.deepEqual(readdirSync(chain.path('lagging/generations')), [made[1]]);
  const [from, to] = ['removing', 'lagging'].map((dataDir) => generationDir(chain.path(dataDir), made[1]!));
  assert.deepEqual(await treeOf(to!), await treeOf(from!));
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
