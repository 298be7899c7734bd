/** Large bodies: a few are read at a time, since their values take ten times their bytes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import type { ToThread } from '../../../server/api/answer-threads.js';
import { LIMITS } from '../../../server/http/limits.js';
import { Signal } from '../../until.js';
import { sharedServer, WALLETS } from '../harness.js';
import { posting } from '../people/accounts/signed-in.js';

const { threadsOfAddress, threadWaitingOfClient } = LIMITS.answers;

const server = sharedServer(() => {
  Object.assign(LIMITS.waits.place, { max: 600_000 }); // a busy machine takes long for the bodies that wait
  return {};
});

/** Statuses of requests with so many tags that are sent at once. @param onStatus called with each of them */
async function statuses(tags: number, onStatus = (_status: number) => {}): Promise<number[]> {
  const keys = Array.from({ length: tags }, (_, i) => [i.toString(16).padStart(64, '0'), 'income']);
  const request = posting({ address: WALLETS.short, userTags: Object.fromEntries(keys) });
  const asked = Array.from({ length: 2 * (threadsOfAddress.max + threadWaitingOfClient.max) }, async () => {
    const { status, headers, body } = await fetch(`${server.base}/api/tax/v1/events`, request);
    await body?.cancel();
    assert.equal(headers.get('retry-after'), status === 503 ? '10' : null);
    onStatus(status);
    return status;
  });
  return Promise.all(asked);
}

const countOf = (found: readonly number[], status: number) => found.filter((one) => one === status).length;

test('of many large bodies at once some are told to come again, and the others are answered', async (t) => {
  const isRefused = new Signal();
  const { postMessage } = Worker.prototype;
  t.mock.method(Worker.prototype, 'postMessage', function (this: Worker, message: ToThread) {
    void isRefused.given.then(() => postMessage.call(this, message));
  });
  const found = await statuses(13_000, (status) => {
    if (status === 503) isRefused.give();
  });
  assert.ok(countOf(found, 503) > 0);
  assert.ok(countOf(found, 200) > 0);
  assert.equal(countOf(found, 200) + countOf(found, 503), found.length);
});

test('bodies of a usual size wait for nobody', async () => {
  const found = await statuses(100);
  assert.equal(countOf(found, 200), found.length);
});
