import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { Endpoint } from '../../../server/endpoint.js';
import { endpoints } from '../../../server/endpoints/index.js';
import { Problem } from '../../../server/problem.js';
import { startServer, type TestServer, WALLETS } from '../harness.js';

let made: string[] = [];
let fails = false;
let size = 10;

/** An endpoint whose answers are numbered. */
const counting: Endpoint = {
  kind: 'dataset',
  method: 'GET',
  path: '/counting',
  summary: 'Counts its answers.',
  parameters: ['address', 'tags'],
  response: 'text',
  policy: 'none',
  replayed: false,
  problems: ['conflict'],
  handle({ parameters, dataset }) {
    if (fails) throw new Problem('conflict', 'not now');
    made.push(`${parameters.addresses} ${dataset.height}`);
    return { text: `${made.length}`.padEnd(size, '.'), type: 'text/plain; charset=utf-8' };
  },
};

let server: TestServer;
before(async () => {
  server = await startServer({ endpoints: [...endpoints, counting] });
});
after(() => server.close());
beforeEach(() => {
  made = [];
});

const ask = async (query: string, headers: Record<string, string> = {}) =>
  (await server.ask(`/counting?${query}`, { headers: { 'accept-encoding': 'identity', ...headers } })).text.replace(
    /\.+$/,
    '',
  );

test('an equal request gets the answer that was made before', async () => {
  assert.deepEqual([await ask(`address=${WALLETS.light}`), await ask(`address=${WALLETS.light}&x=1`)], ['1', '1']);
  assert.equal(await ask(`address=${WALLETS.busy}`), '2');
  assert.equal(await ask(`address=${WALLETS.light}`), '1');
});

test('each coding is kept by itself', async () => {
  size = 5000;
  const query = `address=${WALLETS.short}`;
  const answers = [await ask(query), await ask(query, { 'accept-encoding': 'gzip' })];
  assert.deepEqual(answers, ['1', '2']);
  assert.deepEqual([await ask(query), await ask(query, { 'accept-encoding': 'gzip' })], answers);
  size = 10;
});

test('what a caller says about itself is answered anew each time, and is in no other answer', async () => {
  const query = `address=${WALLETS.flagged}`;
  const tagged = `${query}&tags=${encodeURIComponent(`{"${'ab'.repeat(32)}":"gift"}`)}`;
  assert.deepEqual([await ask(tagged), await ask(tagged), await ask(query), await ask(tagged)], ['1', '2', '3', '4']);
});

test('a refusal is not kept', async () => {
  fails = true;
  const query = `address=${WALLETS.silent}`;
  assert.equal((await server.ask(`/counting?${query}`)).status, 409);
  fails = false;
  assert.equal(await ask(query), '1');
});

test('an answer too large to be kept is made anew', async () => {
  size = 600_000;
  const query = `address=${WALLETS.big}`;
  assert.deepEqual([await ask(query), await ask(query)], ['1', '2']);
  size = 10;
});

test('another generation has answers of its own', async () => {
  const query = `address=${WALLETS.light},${WALLETS.busy}`;
  assert.equal(await ask(query), '1');
  await server.publish(1001);
  assert.deepEqual(
    [await ask(query), made],
    ['2', [1000, 1001].map((height) => `${WALLETS.light},${WALLETS.busy} ${height}`)],
  );
});
