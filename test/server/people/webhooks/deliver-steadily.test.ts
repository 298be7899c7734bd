import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import pino from 'pino';
import { readConfig } from '../../../../pipeline/config.js';
import { addAccount } from '../../../../server/people/accounts/accounts.js';
import { createKey } from '../../../../server/people/accounts/keys.js';
import { Store } from '../../../../server/people/store/store.js';
import { newEvent, publish as publishEvent, startDeliveries } from '../../../../server/people/webhooks/deliver.js';
import type { Message } from '../../../../server/people/webhooks/send.js';
import { addWebhook, listDeliveries } from '../../../../server/people/webhooks/webhooks.js';
import { until } from '../../../until.js';
import { ServingProcess } from '../../processes/serving.js';
import { publish } from '../../published.js';
import { LaidStore } from '../store/made-store.js';

const EVENT = { version: 'v29.0.0', date: '2026-05-30', cosmos_sdk: 'v0.53.4' };

/** An embedded store with an endpoint, and one delivery that is due. */
async function storeWithDelivery(t: TestContext) {
  const dataDir = mkdtempSync(join(tmpdir(), 'hubledger-deliveries-'));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const config = readConfig({ HUBLEDGER_DATA_DIR: dataDir });
  const store = new LaidStore(config);
  t.after(() => store.close());
  const now = config.now();
  const account = await addAccount(store, now);
  const wanted = { url: 'https://ops.example/hook', events: ['release.published' as const] };
  const webhook = await addWebhook(store, account, wanted, now);
  const due = () => publishEvent(store, newEvent('release.published', EVENT, now));
  await due();
  return { config, store, account, webhook, due };
}

test('what is due is delivered; the end waits for the attempt under way and begins none', async (t) => {
  const { config, store, webhook, due } = await storeWithDelivery(t);
  const sent: Message[] = [];
  const answers: (() => void)[] = [];
  const send = (message: Message) => {
    sent.push(message);
    return new Promise<number>((resolve) => answers.push(() => resolve(204)));
  };
  const end = startDeliveries(store, config, pino({ level: 'silent' }), send);
  await until(() => sent.length === 1, 'it is sent');
  await due();
  const ended = end();
  assert.equal(await Promise.race([ended.then(() => 'ended'), wait(100, 'waits')]), 'waits');
  answers[0]!();
  await ended;
  assert.equal(sent.length, 1);
  const statuses = (await listDeliveries(store, webhook)).map(({ status }) => status);
  assert.deepEqual(statuses.sort(), ['delivered', 'pending']);
});

test('a store that is out of reach is told once, and ends nothing', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'error', base: null }, { write: (line) => void lines.push(line) });
  const store = new Store({ dataDir: '/dev/null/nowhere', databaseUrl: undefined });
  const end = startDeliveries(store, { now: () => new Date(), dataDir: '/dev/null/nowhere' }, log);
  await until(() => lines.length > 0, 'a line says so');
  await end();
  assert.equal(lines.length, 1);
  const { msg, reason, err } = JSON.parse(lines[0]!);
  assert.deepEqual([msg, err], ['webhooks are not delivered', undefined]);
  assert.match(reason, /must be a writable folder/);
});

test('the program delivers by itself beside its embedded store, and ends on SIGTERM', async (t) => {
  const { config, store, account, webhook } = await storeWithDelivery(t);
  const scopes = ['upgrades:webhooks' as const];
  const { key } = await createKey(store, { account, name: 'test', scopes, expires: undefined }, config.now());
  await store.close();
  await publish(config.dataDir);
  const serving = await ServingProcess.start({ HUBLEDGER_DATA_DIR: config.dataDir });
  t.after(() => serving.process.kill('SIGKILL'));
  const attempts = async () => {
    const answer = await fetch(`${serving.base}/api/upgrades/v1/webhooks/${webhook.id}/deliveries`, {
      headers: { authorization: `Bearer ${key}` },
    });
    assert.equal(answer.status, 200);
    return ((await answer.json()) as { deliveries: { attempts: number }[] }).deliveries[0]!.attempts;
  };
  // The receiver's name leads nowhere: that it was tried is what the log of deliveries tells.
  await until(async () => (await attempts()) > 0, 'an attempt is made');
  assert.deepEqual(await serving.end('SIGTERM'), [0, null]);
});
