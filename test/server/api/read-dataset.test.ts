import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import type { Endpoint } from '../../../server/api/endpoint.js';
import { ResponseCache } from '../../../server/api/read-dataset.js';
import { endpoints } from '../../../server/endpoints/index.js';
import { Problem } from '../../../server/http/problem.js';
import type { ValidParameters } from '../../../server/tax/parameters/parameters.js';
import { sharedServer, WALLETS } from '../harness.js';

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

const server = sharedServer({ endpoints: [...endpoints, counting] });
beforeEach(() => {
  made = [];
});

const ask = async (query: string, headers: Record<string, string> = {}) =>
  (await server.ask(`/counting?${query}`, { headers: { 'accept-encoding': 'identity', ...headers } })).text.replace(
    /\.+$/,
    '',
  );

/** The answers to a request that is asked so many times. */
async function answers(query: string, times: number, headers?: Record<string, string>): Promise<string[]> {
  const texts: string[] = [];
  for (let i = 0; i < times; i++) texts.push(await ask(query, headers));
  return texts;
}

test('what is asked a second time is kept, and what is asked once is not', async () => {
  const query = `address=${WALLETS.light}`;
  assert.deepEqual(await answers(query, 4), ['1', '2', '2', '2']);
  assert.equal(await ask(`address=${WALLETS.busy}`), '3');
  assert.equal(await ask(query), '2');
});

test('each coding is kept by itself', async () => {
  size = 5000;
  const query = `address=${WALLETS.short}`;
  assert.deepEqual(await answers(query, 2), ['1', '2']);
  assert.deepEqual(await answers(query, 2, { 'accept-encoding': 'gzip' }), ['3', '3']);
  assert.deepEqual(await answers(query, 2), ['2', '2']);
  size = 10;
});

test('what a caller says about itself is answered again each time, and is in no other answer', async () => {
  const query = `address=${WALLETS.flagged}`;
  const tagged = `${query}&tags=${encodeURIComponent(`{"${'ab'.repeat(32)}":"gift"}`)}`;
  assert.deepEqual(await answers(tagged, 3), ['1', '2', '3']);
  assert.deepEqual(await answers(query, 3), ['4', '5', '5']);
  assert.equal(await ask(tagged), '6');
});

test('a refusal is not kept', async () => {
  fails = true;
  const query = `address=${WALLETS.silent}`;
  assert.equal((await server.ask(`/counting?${query}`)).status, 409);
  fails = false;
  assert.deepEqual(await answers(query, 2), ['1', '1']);
});

test('an answer too large to be kept is made again', async () => {
  size = 600_000;
  const query = `address=${WALLETS.big}`;
  assert.deepEqual(await answers(query, 3), ['1', '2', '3']);
  size = 10;
});

test('another generation has answers of its own', async () => {
  const query = `address=${WALLETS.light},${WALLETS.busy}`;
  assert.deepEqual(await answers(query, 3), ['1', '2', '2']);
  await server.publish(1001);
  assert.equal(await ask(query), '3');
  assert.equal(made.at(-1), `${WALLETS.light},${WALLETS.busy} 1001`);
});

test('the number of queries that were asked for once is bounded', () => {
  const cache = new ResponseCache();
  const ask = (name: string) =>
    cache.find(name) ?? cache.add(name, { parameters: {} as ValidParameters, etag: `W/"${name}"` });
  for (const name of ['twice', 'twice']) ask(name);
  ask('pushed out');
  for (let i = 0; i < 10_000; i++) ask(`${i}`);
  ask('pushed out');
  assert.ok(cache.find('twice'), 'the second time it was kept');
  assert.equal(cache.find('pushed out'), undefined, 'its second time counted as the first one');
});
