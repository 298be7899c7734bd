/** Odd receivers beside an honest one: each attempt ends in time, and keeps nobody else's delivery waiting. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { readConfig } from '../../../../pipeline/config.js';
import { addAccount } from '../../../../server/people/accounts/accounts.js';
import { deliverDue, newEvent } from '../../../../server/people/webhooks/deliver.js';
import { type Send, sender } from '../../../../server/people/webhooks/send.js';
import { addWebhook } from '../../../../server/people/webhooks/webhooks.js';
import { Signal } from '../../../until.js';
import { LaidStore } from '../store/made-store.js';
import { ODD_RECEIVERS, startOddReceiver } from './odd-receivers.js';
import { startReceiver } from './receiver.js';

const TIMEOUT_MS = 600;
/** Deliveries that wait for each odd receiver when the honest one's comes. */
const DELIVERIES = 5;
/** A busy machine may take long to shake hands. */
const PATIENCE_MS = 120_000;

const resolve = async () => [{ address: '127.0.0.1', family: 4 }];

for (const name of ODD_RECEIVERS) {
  test(`an attempt at a receiver that ${name} ends in time`, async (t) => {
    const { ca, stop } = await startReceiver();
    t.after(stop);
    const send = sender({ resolve, allows: () => true, ca, timeoutMs: TIMEOUT_MS });
    const url = await startOddReceiver(t, name);
    const outcome = send({ url, headers: {}, body: '{}' }).then(String, ({ message }: Error) => message);
    const told = await Promise.race([outcome, wait(100 * TIMEOUT_MS, 'it does not end', { ref: false })]);
    assert.match(told, /^(101|307|500|no answer .*)$/);
  });
}

test('an honest delivery does not wait for those of odd receivers before it, and the round ends', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'hubledger-odd-receivers-'));
  const honest = await startReceiver();
  const store = new LaidStore(readConfig({ HUBLEDGER_DATA_DIR: dataDir }));
  t.after(async () => {
    await store.close();
    await honest.stop();
    rmSync(dataDir, { recursive: true });
  });
  const queue = async (url: string, count: number) => {
    const account = await addAccount(store, new Date());
    const { id } = await addWebhook(store, account, { url, events: ['release.published'] }, new Date());
    for (let i = 0; i < count; i++) {
      await store.query('deliveries/add', { account, id, ...newEvent('release.published', {}, new Date()) });
    }
  };
  for (const name of ODD_RECEIVERS) await queue(await startOddReceiver(t, name), DELIVERIES);
  await queue(honest.url, 1);
  const impatient = sender({ resolve, allows: () => true, ca: honest.ca, timeoutMs: TIMEOUT_MS });
  const patient = sender({ resolve, allows: () => true, ca: honest.ca, timeoutMs: PATIENCE_MS });
  const hasArrived = new Signal();
  const send: Send = async (message) => {
    if (message.url !== honest.url) return hasArrived.given.then(() => impatient(message));
    return patient(message).finally(hasArrived.give);
  };
  const now = new Date();
  const { delivered, failed } = await deliverDue(store, () => now, undefined, { send });
  assert.equal(honest.received.length, 1);
  assert.deepEqual([delivered, failed], [1, ODD_RECEIVERS.length * DELIVERIES]);
});
