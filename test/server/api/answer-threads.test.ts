/** Long answers are made by worker threads: the same bytes, without keeping other requests waiting. */
import assert from 'node:assert/strict';
import { readdirSync, readlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { bech32 } from '@scure/base';
import pino from 'pino';
import { wholeOf } from '../../../server/api/answer.js';
import { AnswerThreads, type ToThread } from '../../../server/api/answer-threads.js';
import { type DatasetRequest, makeAnswer, readRequest } from '../../../server/api/make-answer.js';
import { Spools } from '../../../server/api/spools.js';
import { endpoints } from '../../../server/endpoints/index.js';
import { LIMITS } from '../../../server/http/limits.js';
import { Problem } from '../../../server/http/problem.js';
import { Signal, until } from '../../until.js';
import { requireFaults, sharedServer, WALLETS } from '../harness.js';
import { posting } from '../people/accounts/signed-in.js';
import { recordedContent, recordedEvents } from '../published.js';

/** A wallet of some 14,000 rows. */
const HUGE = bech32.encode('cosmos', bech32.toWords(new Uint8Array(20).fill(7)));
const COPIES = 5;

const big = recordedEvents(WALLETS.big);
const hugeEvents = Array.from({ length: COPIES }, (_, n) =>
  big.map((event) => ({ ...event, address: HUGE, height: event.height + n * 1_000_000, id: `${n}-${event.id}` })),
).flat();
const content = recordedContent();
const server = sharedServer({ content: { ...content, wallets: { ...content.wallets, [HUGE]: hugeEvents } } });

const API = '/api/tax/v1';
const QUERIES: readonly (readonly [path: string, query: string])[] = [
  ['events', `address=${HUGE}`],
  ['events', `address=${HUGE},${WALLETS.short}&format=csv&odd=1`],
  ['events', `address=${WALLETS.big}&profile=koinly`],
  ['journal', `address=${HUGE}`],
  ['journal', `address=${WALLETS.big}&format=json`],
  ['journal', `address=${WALLETS.big}&profile=hledger`],
  ['positions', `address=${HUGE}`],
  ['summary', `address=${HUGE}`],
];

const NO_CALLS = { store: { query: () => Promise.reject(new Error('nothing is saved')) }, chargeRows: async () => {} };

const askedFor = (path: string, query: string): DatasetRequest => ({
  ...{ path: `${API}/${path}`, name: '', query, today: '2026-06-01', now: new Date('2026-06-01T00:00:00Z') },
  ...{ seriesEnd: '2026-04-14', account: undefined, widget: undefined, isEnding: false },
  ...{ coding: 'identity', ifNoneMatch: undefined },
});

test('a thread makes the bytes that the server would make itself', async () => {
  for (const [path, query] of QUERIES) {
    const lease = server.datasets.requireLease();
    const { dataset } = lease;
    const endpoint = endpoints.find((one) => one.path === `${API}/${path}`)!;
    const asked = askedFor(path, query);
    const own = { endpoint, dataset, ...NO_CALLS };
    const made = await makeAnswer(asked, readRequest(asked, own), own, { ignored: [], isPersonal: false });
    lease.release();
    const expected = Buffer.from(wholeOf(made!).bytes).toString();
    for (const coding of ['identity', 'gzip', 'br']) {
      const answer = await server.ask(`${API}/${path}?${query}`, { headers: { 'accept-encoding': coding } });
      assert.equal(answer.status, 200);
      assert.ok(answer.text === expected, `${path}?${query} in ${coding}`);
    }
  }
  const odd = await server.ask(`${API}/events?address=${HUGE}&odd=1`);
  assert.equal(odd.headers.get('x-ignored-parameters'), 'odd');
});

/** Tags that fill a body which a thread parses. */
const manyTags = (tag: string) =>
  Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [i.toString(16).padStart(64, '0'), tag]));

test('a thread parses a large body, and refuses it like a small one', async () => {
  const body = { address: WALLETS.short, userTags: manyTags('gift') };
  assert.ok(JSON.stringify(body).length > LIMITS.answers.longBody.max);
  const answer = await server.ask(`${API}/events`, posting(body));
  assert.equal(answer.status, 200);
  assert.equal(answer.json().count, 7);
  assert.equal(answer.headers.get('cache-control'), 'private, no-store');
  const ids = Object.keys(manyTags('')).slice(0, 3);
  const wrong = { ...body, userTags: { ...manyTags('gift'), ...Object.fromEntries(ids.map((id) => [id, 'odd'])) } };
  requireFaults(
    await server.ask(`${API}/events`, posting(wrong)),
    422,
    ids.map((id) => `userTags/${id}`),
  );
  const pointless = await fetch(`${server.base}${API}/events`, { ...posting(body), body: `[${' '.repeat(70_000)}]` });
  assert.equal(pointless.status, 422);
});

test('other requests are answered while threads make long answers', async (t) => {
  const finish = new Signal();
  let jobs = 0;
  const { postMessage } = Worker.prototype;
  t.mock.method(Worker.prototype, 'postMessage', function (this: Worker, message: ToThread) {
    if (!('job' in message)) return postMessage.call(this, message);
    jobs++;
    void finish.given.then(() => postMessage.call(this, message));
  });
  let isDone = false;
  const long = fetch(`${server.base}${API}/journal?address=${HUGE}&format=json&start=2025-01-01`).then((answer) =>
    answer.text().then(() => {
      isDone = true;
    }),
  );
  await until(() => jobs === 1, 'the answer is left to a thread');
  for (let i = 0; i < 5; i++) await (await fetch(`${server.base}/healthz`)).text();
  assert.ok(!isDone, 'the thread has not begun');
  finish.give();
  await long;
});

test('a caller that has the answer gets a 304 for it', async () => {
  const path = `${API}/events?address=${HUGE}&type=rewards`;
  const etag = (await server.ask(path)).headers.get('etag')!;
  for (const known of [etag, '*']) {
    assert.equal((await server.ask(path, { headers: { 'if-none-match': known } })).status, 304);
  }
  assert.equal((await server.ask(path, { headers: { 'if-none-match': 'W/"other"' } })).status, 200);
});

/** Open files of this process that have no name. */
const unnamedFiles = () =>
  readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return /hubledger-[\w-]{36} \(deleted\)/.test(readlinkSync(`/proc/self/fd/${fd}`));
    } catch {
      return false;
    }
  }).length;

test('the file of an answer is closed when its reader has it or leaves', {
  skip: process.platform !== 'linux',
}, async () => {
  const ask = `GET ${API}/journal?address=${HUGE}&format=json HTTP/1.1\r\nHost: x\r\n\r\n`;
  const [reading, leaving] = [connect(server.port, '127.0.0.1'), connect(server.port, '127.0.0.1')];
  for (const socket of [reading, leaving]) socket.on('error', () => {}).write(ask);
  leaving.destroy();
  reading.pause();
  await until(() => unnamedFiles() > 0, 'one is open');
  reading.destroy();
  await (await fetch(`${server.base}${API}/journal?address=${HUGE}`)).text();
  await until(() => unnamedFiles() === 0, 'none is open');
});

function openThreads(t: TestContext, log = pino({ level: 'silent' }), taskMs = 300_000): AnswerThreads {
  const module = new URL('../../../server/answer-thread.js', import.meta.url);
  const threads = new AnswerThreads({
    module,
    endpoints,
    dataDir: server.dataDir,
    log,
    spools: new Spools(log),
    taskMs,
  });
  t.after(() => threads.close());
  return threads;
}

const senderAt = (address: string, signal = new AbortController().signal) => ({
  client: { id: address, address },
  signal,
});

function makeJournal(threads: AnswerThreads, sender = senderAt('192.0.2.1')) {
  const lease = server.datasets.requireLease();
  const told = { ignored: [], isPersonal: false };
  const asked = askedFor('journal', `address=${HUGE}`);
  return threads.make(asked, lease.dataset, NO_CALLS, told, sender).finally(lease.release.bind(lease));
}

test('a thread that dies is replaced, and its request is refused for now', async (t) => {
  const threads = openThreads(t);
  const make = (address: string) => makeJournal(threads, senderAt(address));
  const [first, second] = [make('192.0.2.1'), make('192.0.2.2')];
  const { alive } = threads as unknown as { alive: Set<Worker> };
  await until(() => alive.size === 2, 'both have a thread');
  const [thread] = alive;
  await thread!.terminate();
  await assert.rejects(first, (error) => error instanceof Problem && error.status === 503 && error.retryAfter === 10);
  for (const made of [await second, await make('192.0.2.3')]) if (made && 'spool' in made) await made.spool.close();
});

test('a thread that takes too long is ended, and its request is refused for now', async (t) => {
  const threads = openThreads(t, undefined, 1);
  await assert.rejects(makeJournal(threads), (error) => error instanceof Problem && error.status === 503);
});

test('a client that leaves ends its work, and the thread makes the next answer', async (t) => {
  const threads = openThreads(t);
  const controller = new AbortController();
  const left = makeJournal(threads, senderAt('192.0.2.1', controller.signal));
  const { alive } = threads as unknown as { alive: Set<Worker> };
  await until(() => alive.size === 1, 'the thread runs');
  const waiting = makeJournal(threads, senderAt('192.0.2.1', controller.signal));
  const refused = [left, waiting].map((made) => assert.rejects(made, { code: 'ECONNABORTED' }));
  controller.abort();
  await Promise.all(refused);
  const made = await makeJournal(threads);
  assert.ok(made && 'spool' in made);
  await made.spool.close();
});

test('an answer is refused, and the log names the folder, if its temporary file cannot be opened', async (t) => {
  const lines: string[] = [];
  const threads = openThreads(t, pino({}, { write: (line) => void lines.push(line) }));
  const { TMPDIR } = process.env;
  process.env.TMPDIR = '/nowhere';
  t.after(() => {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  });
  await assert.rejects(
    makeJournal(threads),
    (error) => error instanceof Problem && error.status === 503 && /disk of the server is full/.test(error.detail),
  );
  assert.equal(lines.length, 1);
  assert.match(lines[0]!, /cannot write to the temporary folder \/nowhere: ENOENT/);
});

test('threads take up a new generation', async () => {
  const path = `${API}/journal?address=${HUGE}&format=json`;
  const generation = await server.publish(1001);
  assert.equal((await server.ask(path)).json().coverage.generation, generation);
});
