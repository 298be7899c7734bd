import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { Endpoint } from '../../../../server/api/endpoint.js';
import { LongAnswers, type Reader } from '../../../../server/api/quotas/long-answers.js';
import { LIMITS } from '../../../../server/http/limits.js';
import { Problem } from '../../../../server/http/problem.js';
import { startServer } from '../../harness.js';

const { long, longOfClient, longBody, unread, waiting, waitingBytes, waitingOfClient } = LIMITS.answers;
const isBusy = (error: unknown) => error instanceof Problem && error.code === 'unavailable' && error.retryAfter === 10;
const destroy = (): never => assert.fail('it is cut off');
/** A reader that takes all that it is sent. */
const quick: Reader = Object.assign(new EventEmitter(), {
  ...{ bytesWritten: 0, writableLength: 0, writableNeedDrain: false, destroyed: false },
  destroy,
}).setMaxListeners(0) as unknown as Reader;
/** A reader that is behind. @param taken tells the bytes that it has taken so far */
const slow = (taken = () => 0, end: () => unknown = destroy): Reader =>
  Object.create(quick, {
    writableNeedDrain: { value: true },
    bytesWritten: { get: taken },
    destroy: { value: end },
  });
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('a few long answers are made at a time, fewer of one client, and the next in line follows who leaves', async () => {
  const places = new LongAnswers();
  const order: string[] = [];
  const enter = async (client: string, name: string) => {
    const leave = await places.enter(client, quick);
    order.push(name);
    return leave;
  };
  const first = await Promise.all(Array.from({ length: longOfClient.max }, (_, i) => enter('a', `a${i}`)));
  const third = enter('a', 'a-waits');
  const others = await Promise.all(
    Array.from({ length: long.max - longOfClient.max }, (_, i) => enter(`b${i}`, `b${i}`)),
  );
  const last = enter('c', 'c-waits');
  await settled();
  assert.equal(order.length, long.max);
  others[0]!();
  await last;
  assert.deepEqual(order.slice(long.max), ['c-waits'], 'the client in front has its share already');
  first[0]!();
  (await third)();
  assert.deepEqual(order.slice(long.max), ['c-waits', 'a-waits']);
});

test('who finds no place in time, or too many in the queue, is told to come again', async () => {
  const places = new LongAnswers(50);
  const held = await Promise.all(Array.from({ length: longOfClient.max }, () => places.enter('a', quick)));
  const queued = Array.from({ length: waitingOfClient.max }, () => places.enter('a', quick));
  await assert.rejects(places.enter('a', quick), isBusy);
  for (const one of queued) await assert.rejects(one, isBusy);
  for (const leave of held) leave();
  for (const leave of await Promise.all(held.map(() => places.enter('a', quick)))) leave();
});

test('the queue has an end for all clients, too', async () => {
  const places = new LongAnswers(50);
  for (let i = 0; i < long.max; i++) await places.enter(`a${i}`, quick);
  const queued = Array.from({ length: waiting.max }, (_, i) => places.enter(`b${i}`, quick));
  await assert.rejects(places.enter('c', quick), isBusy);
  assert.deepEqual(
    (await Promise.allSettled(queued)).filter(({ status }) => status === 'fulfilled'),
    [],
  );
});

test('an answer that waits for its reader leaves its place to others, not to its own client', async () => {
  const places = new LongAnswers(1000);
  for (let i = 0; i < long.max; i++) await places.enter(`a${i}`, slow());
  const leave = await places.enter('b', quick);
  for (let i = 1; i < longOfClient.max; i++) await places.enter('a0', slow());
  await assert.rejects(places.enter('a0', quick), isBusy);
  leave();
});

test('a place that a reader leaves while others wait is given away', async () => {
  const places = new LongAnswers();
  const readers: { writableNeedDrain: boolean }[] = Array.from({ length: long.max }, () => Object.create(quick));
  for (const [i, reader] of readers.entries()) await places.enter(`a${i}`, reader as Reader);
  const next = places.enter('b', quick);
  readers[0]!.writableNeedDrain = true;
  await next;
});

test('of too many answers that wait for their readers the slowest is cut off', async () => {
  const places = new LongAnswers();
  const ended: number[] = [];
  const speeds = Array.from({ length: unread.max }, (_, i) => (i === 7 ? 1 : 1_000_000 + i));
  const began = performance.now();
  for (const [i, speed] of speeds.entries()) {
    const taken = () => (performance.now() - began) * speed;
    await places.enter(
      `a${i}`,
      slow(taken, () => void ended.push(i)),
    );
  }
  await wait(50);
  await places.enter('b', quick);
  assert.deepEqual(ended, [7]);
});

test('the queue has an end for answers that are made already, by their bytes', async () => {
  const places = new LongAnswers(50);
  for (let i = 0; i < long.max; i++) await places.enter(`a${i}`, quick);
  const half = waitingBytes.max / 2;
  const queued = [places.enter('b', quick, half), places.enter('c', quick, half), places.enter('d', quick)];
  const order: string[] = [];
  for (const one of queued) one.catch(() => order.push('waited'));
  await assert.rejects(places.enter('e', quick, 1), isBusy);
  assert.deepEqual(order, [], 'it does not wait');
  for (const one of queued) await assert.rejects(one, isBusy);
});

test('a client that leaves also leaves the queue', async () => {
  const places = new LongAnswers();
  const held = await Promise.all(Array.from({ length: longOfClient.max }, () => places.enter('a', quick)));
  const reader = Object.assign(new EventEmitter(), { destroyed: false }) as unknown as Reader & EventEmitter;
  const left = Array.from({ length: waitingOfClient.max }, () => places.enter('a', reader));
  await assert.rejects(places.enter('a', quick), isBusy);
  Object.assign(reader, { destroyed: true }).emit('close');
  for (const one of left) await assert.rejects(one, { code: 'ECONNABORTED' });
  await assert.rejects(places.enter('a', reader), { code: 'ECONNABORTED' }, 'nor does it enter again');
  const next = places.enter('a', quick);
  held[0]!();
  (await next)();
  assert.equal(reader.listenerCount('close'), 0);
});

const WHOLE = 'x'.repeat(4 * 1024 * 1024);

const wholeAnswer: Endpoint = {
  kind: 'dataset',
  method: 'GET',
  post: true,
  path: '/whole',
  summary: 'Answers at once.',
  parameters: ['tags'],
  response: 'text',
  policy: 'none',
  problems: [],
  handle: () => ({ text: WHOLE, type: 'text/csv; charset=utf-8; header=present' }),
};
const BODY = `{${' '.repeat(longBody.max)}}`;

test('fifty readers that take nothing keep nobody from a long answer', async (t) => {
  const server = await startServer({ endpoints: [wholeAnswer], environment: { HUBLEDGER_TRUSTED_HOPS: '1' } });
  const sockets: Socket[] = [];
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    return server.close();
  });
  const ask = (address: string) => {
    const socket = connect(server.port, '127.0.0.1').on('error', () => {});
    sockets.push(socket);
    const head = `POST /whole HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${address}\r\nContent-Type: application/json`;
    socket.write(`${head}\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`);
    return socket;
  };
  for (let i = 0; i < 50; i++) ask(`192.0.2.${i % 25}`);
  await wait(500);
  const [first] = await once(ask('198.51.100.1'), 'data');
  assert.match(String(first), /^HTTP\/1\.1 200 /, 'who finds no place in time is answered 503');
});

test('a long answer of known length keeps its place until it is read, or the slowest is cut off', async (t) => {
  const reading = { silenceMs: 60_000, graceMs: 60_000, bytesPerSecond: 1 };
  const server = await startServer({
    endpoints: [wholeAnswer],
    environment: { HUBLEDGER_TRUSTED_HOPS: '1' },
    reading,
  });
  const sockets: Socket[] = [];
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    return server.close();
  });
  const ask = async (i: number) => {
    const socket = connect(server.port, '127.0.0.1').on('error', () => {});
    sockets.push(socket);
    socket.write(`GET /whole HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.${i}\r\n\r\n`);
    await once(socket, 'readable');
    return socket;
  };
  const first = await ask(0);
  for (let i = 1; i < unread.max; i++) await ask(i);
  const cut = once(first, 'close');
  await ask(unread.max);
  first.resume();
  await cut;
  assert.ok(first.bytesRead < WHOLE.length, 'it ends before its answer does');
});

test('expensive answers of one client wait in the queue, and keep no other client waiting', async (t) => {
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const expensiveAnswer: Endpoint = {
    ...wholeAnswer,
    path: '/expensive',
    isExpensive: () => true,
    handle: async () => {
      await finished;
      return { text: 'made', type: 'text/plain; charset=utf-8' };
    },
  };
  const server = await startServer({ endpoints: [expensiveAnswer], environment: { HUBLEDGER_TRUSTED_HOPS: '1' } });
  t.after(() => server.close());
  const ask = (address: string) => server.ask('/expensive', { headers: { 'x-forwarded-for': address } });
  const own = Array.from({ length: longOfClient.max + waitingOfClient.max }, () => ask('192.0.2.1'));
  await wait(300);
  const refused = await ask('192.0.2.1');
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '10']);
  const other = ask('192.0.2.2');
  finish();
  assert.equal((await other).status, 200);
  for (const { status } of await Promise.all(own)) assert.equal(status, 200);
});
