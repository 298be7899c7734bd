/** Deliveries of many beside each other: nobody's receivers keep those of others waiting, and every attempt ends. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { readConfig } from '../../../../pipeline/config.js';
import type { WebhookEventType } from '../../../../schemas/types.generated.js';
import { addAccount } from '../../../../server/people/accounts/accounts.js';
import { Store } from '../../../../server/people/store/store.js';
import { deliverDue, newEvent, publish } from '../../../../server/people/webhooks/deliver.js';
import type { Message } from '../../../../server/people/webhooks/send.js';
import { addWebhook, listDeliveries, testWebhook } from '../../../../server/people/webhooks/webhooks.js';
import { onBothStores } from '../store/stores.js';

const START = Date.parse('2026-06-01T00:00:00Z');
const SECOND = 1000;
const EVENTS: WebhookEventType[] = ['release.published'];

/** A barrier: it is passed when so many have arrived. */
class Barrier {
  private pass = () => {};
  readonly passed = new Promise<void>((resolve) => {
    this.pass = resolve;
  });

  constructor(private missing: number) {}

  arrive(): void {
    if (--this.missing === 0) this.pass();
  }
}

onBothStores('deliveries of many', (variables) => {
  let store: Store;
  const accounts: string[] = [];
  let account: string;
  let time: number;
  let sent: Message[];
  /** Answer of the receivers. */
  let answer: number;
  const now = () => new Date(time);
  const deliver = () =>
    deliverDue(store, now, undefined, {
      async send(message) {
        sent.push(message);
        return answer;
      },
    });
  const owner = async () => {
    accounts.push(await addAccount(store, now()));
    return accounts.at(-1)!;
  };
  const add = (url = 'https://ops.example/hook', of = account) => addWebhook(store, of, { url, events: EVENTS }, now());
  const log = async (webhook: Awaited<ReturnType<typeof add>>) => (await listDeliveries(store, webhook))[0]!;
  /** Makes deliveries to every endpoint, each of an event of its own. */
  const tell = async (count = 1) => {
    for (let i = 0; i < count; i++) await publish(store, newEvent('release.published', { i }, now()));
  };

  before(async () => {
    store = new Store(readConfig({ ...variables() }));
  });
  after(() => store.close());
  beforeEach(async () => {
    time = START;
    sent = [];
    answer = 204;
    for (const id of accounts.splice(0)) await store.query('accounts/remove', { id });
    account = await owner();
  });

  test('of one endpoint two attempts are under way at a time, of an account four, and others go on beside them', async () => {
    const other = await owner();
    const owners = [account, account, account, other];
    for (const [i, of] of owners.entries()) await add(`https://ops${i}.example/hook`, of);
    await tell(5);
    const underWay: string[] = [];
    const most: Record<string, number> = {};
    const note = (name: string, isMeant: (url: string) => boolean) => {
      most[name] = Math.max(most[name] ?? 0, underWay.filter(isMeant).length);
    };
    const isOthers = (url: string) => url.includes('ops3');
    const othersMade = new Barrier(5);
    const slowSend = async ({ url }: Message) => {
      underWay.push(url);
      note(url, (one) => one === url);
      note('account', (one) => !isOthers(one));
      await (isOthers(url) ? wait(10) : othersMade.passed);
      underWay.splice(underWay.indexOf(url), 1);
      if (isOthers(url)) othersMade.arrive();
      return 204;
    };
    assert.deepEqual(await deliverDue(store, now, undefined, { send: slowSend }), { delivered: 20, failed: 0 });
    const { account: ofAccount, ...ofEndpoints } = most;
    assert.deepEqual([ofAccount, Math.max(...Object.values(ofEndpoints))], [4, 2]);
  });

  test('an endpoint whose last five deliveries failed gets nothing more until a test arrives', async () => {
    const webhook = await add();
    answer = 500;
    const fail = async () => {
      for (const wait of [0, 10, 60, 300, 1800, 7200, 21_600, 43_200]) {
        time += wait * SECOND;
        await deliver();
      }
    };
    for (let i = 0; i < 5; i++) {
      await tell();
      await fail();
    }
    sent = [];
    await tell();
    const { status, attempts, error } = await log(webhook);
    assert.deepEqual([status, attempts], ['failed', 0]);
    assert.match(error!, /^not sent: the last 5 deliveries failed/);
    await deliver();
    assert.deepEqual(sent, []);
    answer = 204;
    await testWebhook(store, { account, id: webhook.id }, now());
    assert.deepEqual(await deliver(), { delivered: 1, failed: 0 });
    time += SECOND;
    await tell();
    assert.deepEqual(await deliver(), { delivered: 1, failed: 0 });
  });

  test('an attempt that never ends is given up', async () => {
    const webhook = await add();
    await tell();
    const never = () => new Promise<never>(() => undefined);
    assert.deepEqual(await deliverDue(store, now, undefined, { send: never, attemptMs: 100 }), {
      delivered: 0,
      failed: 1,
    });
    assert.equal((await log(webhook)).error, 'no answer in time');
  });

  test('once it is to end, no further attempt begins', async () => {
    await add();
    await tell(5);
    const ending = new AbortController();
    const counts = await deliverDue(store, now, undefined, {
      signal: ending.signal,
      async send() {
        ending.abort();
        return 204;
      },
    });
    assert.deepEqual(counts, { delivered: 2, failed: 0 });
    assert.deepEqual(await deliver(), { delivered: 3, failed: 0 });
  });
});
