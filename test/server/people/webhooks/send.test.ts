import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { nameResolver, sender } from '../../../../server/people/webhooks/send.js';
import { startNameServer } from './name-server.js';
import { type Receiver, startReceiver } from './receiver.js';

let receiver: Receiver;
before(async () => {
  receiver = await startReceiver();
});
after(() => receiver.stop());
beforeEach(() => {
  receiver.answer = { status: 204 };
  receiver.received.length = 0;
});

/** The one text for whatever keeps a message from being answered: a caller must not learn what the service's own network looks like. */
const NO_ANSWER = /^Error: no answer over https within 8 seconds$/;
const loopback = [{ address: '127.0.0.1', family: 4 }];
const message = () => ({ url: receiver.url, headers: { 'Content-Type': 'application/json' }, body: '{"id":"ä"}' });
/** A sender that may send to the receiver, though that has no public address. */
const open = (timeoutMs = 8000) =>
  sender({ resolve: async () => loopback, allows: () => true, ca: receiver.ca, timeoutMs });

test('a body arrives byte by byte, and the status comes back', async () => {
  receiver.answer = { status: 503, body: 'x'.repeat(1_000_000) };
  assert.equal(await open()(message()), 503);
  const [{ method, headers, body } = assert.fail()] = receiver.received;
  assert.deepEqual([method, headers['content-length'], body.toString()], ['POST', '11', '{"id":"ä"}']);
});

test('a redirect is an answer', async () => {
  receiver.answer = { status: 307, headers: { location: receiver.url } };
  assert.equal(await open()(message()), 307);
  assert.equal(receiver.received.length, 1);
});

test('who does not answer is not waited for', async () => {
  receiver.answer = undefined;
  await assert.rejects(open(300)(message()), /^Error: no answer over https within 0.3 seconds$/);
  await assert.rejects(
    sender({ resolve: () => new Promise(() => undefined), timeoutMs: 50 })(message()),
    /no answer over https within 0.05 seconds/,
  );
});

test('a certificate of nobody known is refused', async () => {
  await assert.rejects(sender({ resolve: async () => loopback, allows: () => true })(message()), NO_ANSWER);
  assert.deepEqual(receiver.received, []);
});

test('a name with a private address is refused before anything connects', async () => {
  const before = receiver.connections();
  const publicOne = { address: '1.1.1.1', family: 4 };
  const cases = [
    loopback,
    [publicOne, ...loopback],
    [{ address: '::ffff:127.0.0.1', family: 6 }],
    [{ address: '::1', family: 6 }],
    [{ address: '169.254.169.254', family: 4 }],
    [{ address: '100.64.0.1', family: 4 }],
    [{ address: 'fd00::1', family: 6 }],
  ];
  for (const addresses of cases) {
    const send = sender({ resolve: async () => addresses, ca: receiver.ca });
    await assert.rejects(send(message()), NO_ANSWER);
  }
  await assert.rejects(sender({ resolve: async () => [] })(message()), NO_ANSWER);
  const unknown = Object.assign(new Error('getaddrinfo ENOTFOUND receiver.example'), { code: 'ENOTFOUND' });
  await assert.rejects(sender({ resolve: () => Promise.reject(unknown) })(message()), NO_ANSWER);
  const literal = message().url.replace('receiver.example', '127.0.0.1');
  for (const url of [
    literal,
    literal.replace('127.0.0.1', '[::ffff:127.0.0.1]'),
    literal.replace('127.0.0.1', 'localhost'),
  ]) {
    await assert.rejects(open()({ ...message(), url }), /the URL must lead to the public internet/);
  }
  assert.equal(receiver.connections(), before);
});

test('a name that answers otherwise the next time is looked up again for the next connection, and refused', async () => {
  const answers = [loopback, [{ address: '10.0.0.1', family: 4 }]];
  let lookups = 0;
  const send = sender({
    resolve: async () => answers[lookups++]!,
    // The receiver's address stands for a public one.
    allows: (address) => address === '127.0.0.1',
    ca: receiver.ca,
  });
  assert.equal(await send(message()), 204);
  assert.equal(lookups, 1, 'what was looked at is what was connected to');
  await assert.rejects(send(message()), NO_ANSWER);
  assert.deepEqual([lookups, receiver.received.length], [2, 1]);
});

test('names that nobody answers for keep no other name waiting', async (t) => {
  const names = await startNameServer({ 'receiver.example': '127.0.0.1' });
  t.after(() => names.stop());
  const resolve = nameResolver([names.at]);
  const silent = Promise.all(Array.from({ length: 40 }, (_, i) => resolve(`silent-${i}.example`)));
  const send = sender({ resolve, allows: () => true, ca: receiver.ca });
  const first = await Promise.race([silent.then(() => 'silent'), send(message())]);
  assert.equal(first, 204);
  assert.deepEqual((await silent).flat(), [], 'and they end themselves');
});
