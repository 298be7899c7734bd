/** Odd receivers beside an honest one: each attempt ends in time, and keeps nobody else's delivery waiting. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { sender } from '../../../server/webhooks/send.js';
import { ODD_RECEIVERS, startOddReceiver } from './odd-receivers.js';
import { startReceiver } from './receiver.js';

const TIMEOUT_MS = 600;

for (const name of ODD_RECEIVERS) {
  test(`an attempt at a receiver that ${name} ends in time`, async (t) => {
    const { ca, stop } = await startReceiver();
    t.after(stop);
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
    const send = sender({ resolve, allows: () => true, ca, timeoutMs: TIMEOUT_MS });
    const url = await startOddReceiver(t, name);
    const outcome = send({ url, headers: {}, body: '{}' }).then(String, ({ message }: Error) => message);
    const told = await Promise.race([outcome, wait(10 * TIMEOUT_MS, 'it does not end')]);
    assert.match(told, /^(101|307|500|no answer .*)$/);
  });
}
