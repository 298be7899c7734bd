import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, beforeEach, test } from 'node:test';
import { readConfig } from '../../../../pipeline/config.js';
import { loadReference } from '../../../../pipeline/reference.js';
import type { ManifestRestatement, ReleaseWatch, WebhookEventType } from '../../../../schemas/types.generated.js';
import { addAccount } from '../../../../server/people/accounts/accounts.js';
import { Store } from '../../../../server/people/store/store.js';
import { deliverDue, newEvent, publish } from '../../../../server/people/webhooks/deliver.js';
import type { Message } from '../../../../server/people/webhooks/send.js';
import {
  addWebhook,
  changeWebhook,
  listDeliveries,
  listWebhooks,
  removeWebhook,
  rotateSecret,
  testWebhook,
} from '../../../../server/people/webhooks/webhooks.js';
import { onBothStores } from '../store/stores.js';

const signatureOf = (secret: string, timestamp: number, body: string) =>
  `sha256=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;

const START = Date.parse('2026-06-01T00:00:00Z');
const SECOND = 1000;
const HOUR = 3600 * SECOND;
const EVENTS: WebhookEventType[] = ['release.published', 'upgrade.scheduled', 'upgrade.cancelled'];
const release = (version: string) => ({ version, date: '2026-05-30', cosmos_sdk: 'v0.53.4' });
const NOTHING: ReleaseWatch = {
  checked_at: '2026-06-01T00:00:00Z',
  node_version: 'v28.0.0',
  cosmos_sdk: 'v0.53.4',
  newest_release: 'v28.0.0',
  pending_upgrade: null,
  height: 1000,
  error: null,
  succeeded_at: '2026-06-01T00:00:00Z',
  upstream: [release('v28.0.0'), release('v27.0.0')],
};
const PLAN = { name: 'v29', height: 2000, estimated_time: '2026-06-02T00:00:00Z' };

onBothStores('deliveries', (variables) => {
  let store: Store;
  let account: string;
  let time: number;
  let sent: Message[];
  /** Answer of the receivers: a status, or the error by which there is none. */
  let answer: number | Error;
  const now = () => new Date(time);
  const send = async (message: Message) => {
    sent.push(message);
    if (typeof answer === 'number') return answer;
    throw answer;
  };
  const deliver = (watch?: ReleaseWatch) => deliverDue(store, now, watch, { send });
  /** Makes deliveries to every endpoint, each of an event of its own. */
  const tell = async (count = 1) => {
    for (let i = 0; i < count; i++) await publish(store, newEvent('release.published', release(`v${i}`), now()));
  };
  const add = (events = EVENTS, url = 'https://ops.example/hook') => addWebhook(store, account, { url, events }, now());
  const log = async (webhook: Awaited<ReturnType<typeof add>>) => (await listDeliveries(store, webhook))[0]!;
  const bodies = () => sent.splice(0).map(({ body }) => JSON.parse(body));
  const told = () => bodies().map(({ type, data }) => [type, data.version ?? data.height]);

  before(async () => {
    store = new Store(readConfig({ ...variables() }));
    account = await addAccount(store, new Date(START));
  });
  after(() => store.close());
  beforeEach(async () => {
    time = START;
    sent = [];
    answer = 204;
    for (const { id } of await listWebhooks(store, account, now())) await removeWebhook(store, { account, id });
  });

  test('a delivery is signed over its timestamp and raw body, once', async () => {
    const webhook = await add();
    const { event_id } = (await testWebhook(store, { account, id: webhook.id }, now()))!;
    assert.deepEqual(await deliver(), { delivered: 1, failed: 0 });
    const { url, headers, body } = sent[0]!;
    assert.deepEqual(JSON.parse(body), {
      id: event_id,
      type: 'webhook.test',
      created_at: '2026-06-01T00:00:00.000Z',
      data: {},
    });
    assert.equal(url, 'https://ops.example/hook');
    assert.deepEqual(headers, {
      'Content-Type': 'application/json',
      'User-Agent': 'hubledger',
      'X-Service-Event-Id': event_id,
      'X-Service-Timestamp': String(START),
      'X-Service-Signature': signatureOf(webhook.secret!, START, body),
    });
    const { status, attempts, response_status, next_attempt_at, delivered_at } = await log(webhook);
    assert.deepEqual([status, attempts, response_status, next_attempt_at], ['delivered', 1, 204, null]);
    assert.equal(delivered_at, '2026-06-01T00:00:00.000Z');
    assert.deepEqual(await deliver(), { delivered: 0, failed: 0 });
  });

  test('each restatement of a closed month is announced once', async () => {
    await add(['dataset.restated']);
    const restated = (generation_before: string, generation_after: string): ManifestRestatement => ({
      generation_before,
      generation_after,
      restated_at: '2026-05-31T04:00:00Z',
      causes: ['quote'],
      figures: 596,
      wallets: 40,
      gains_usd: '-123.45',
    });
    const [first, second] = [restated('h1-a', 'h2-b'), restated('h3-c', 'h4-d')];
    for (const [restatements, news] of [
      [[], []],
      [[first], [first]],
      [[first], []],
      [[first, second], [second]],
    ] as const) {
      await deliverDue(store, now, undefined, { send, restatements });
      const arrived = bodies();
      assert.deepEqual(
        arrived.map(({ data }) => data),
        news,
      );
      assert.ok(arrived.every(({ type }) => type === 'dataset.restated'));
    }
  });

  test('what fails is repeated after 10 s, 1 min, 5 min, 30 min, 2 h, 6 h and 12 h with the same bytes, then given up', async () => {
    const webhook = await add();
    await tell();
    answer = 500;
    assert.deepEqual(await deliver(), { delivered: 0, failed: 1 });
    for (const wait of [10, 60, 300, 1800, 7200, 21_600, 43_200]) {
      assert.deepEqual((await log(webhook)).next_attempt_at, new Date(time + wait * SECOND).toISOString());
      time += wait * SECOND - 1;
      assert.deepEqual(await deliver(), { delivered: 0, failed: 0 });
      time += 1;
      answer = new Error('getaddrinfo ENOTFOUND ops.example');
      assert.deepEqual(await deliver(), { delivered: 0, failed: 1 });
    }
    assert.deepEqual(new Set(sent.map(({ body }) => body)).size, 1);
    const signatures = sent.map(({ headers }) => headers['X-Service-Signature']);
    assert.equal(new Set(signatures).size, 8);
    const { status, attempts, response_status, error, next_attempt_at } = await log(webhook);
    assert.deepEqual([status, attempts, response_status, next_attempt_at], ['failed', 8, null, null]);
    assert.equal(error, 'getaddrinfo ENOTFOUND ops.example');
    time += 30 * 24 * HOUR + 1;
    assert.deepEqual(await deliver(), { delivered: 0, failed: 0 });
    assert.deepEqual(await listDeliveries(store, webhook), []);
  });

  test('a repetition that succeeds ends it, at the URL that is in force by then', async () => {
    const webhook = await add();
    await tell();
    answer = 302;
    await deliver();
    assert.deepEqual([(await log(webhook)).status, (await log(webhook)).error], ['pending', 'answers 302']);
    await changeWebhook(store, { account, id: webhook.id }, { url: 'https://new.example/' }, now());
    time += 10 * SECOND;
    answer = 200;
    assert.deepEqual(await deliver(), { delivered: 1, failed: 0 });
    assert.deepEqual(
      sent.map(({ url }) => url),
      ['https://ops.example/hook', 'https://new.example/'],
    );
    assert.deepEqual([(await log(webhook)).attempts, (await log(webhook)).error], [2, null]);
  });

  test('for a day after a rotation the secret before signs, too', async () => {
    const webhook = await add();
    const owned = { account, id: webhook.id };
    const rotated = (await rotateSecret(store, owned, now()))!;
    assert.equal(rotated.previous_secret_until, '2026-06-02T00:00:00.000Z');
    for (const [at, previous] of [
      [START + 24 * HOUR - 1, true],
      [START + 24 * HOUR, false],
    ] as const) {
      time = at;
      await testWebhook(store, owned, now());
      await deliver();
      const { headers, body } = sent.pop()!;
      assert.equal(headers['X-Service-Signature'], signatureOf(rotated.secret!, at, body));
      const expected = previous ? signatureOf(webhook.secret!, at, body) : undefined;
      assert.equal(headers['X-Service-Signature-Previous'], expected);
    }
  });

  test('secrets sign for a day each, also if a rotation is repeated because its answer was lost', async () => {
    const webhook = await add();
    const owned = { account, id: webhook.id };
    const lost = (await rotateSecret(store, owned, now()))!;
    time += HOUR;
    const rotated = (await rotateSecret(store, owned, now()))!;
    const secrets = [lost.secret!, webhook.secret!];
    for (const [at, former] of [
      [time, secrets],
      [START + 24 * HOUR, secrets.slice(0, 1)],
      [START + 25 * HOUR, []],
    ] as const) {
      time = at;
      await testWebhook(store, owned, now());
      await deliver();
      const { headers, body } = sent.pop()!;
      assert.equal(headers['X-Service-Signature'], signatureOf(rotated.secret!, at, body));
      const expected = former.map((secret) => signatureOf(secret, at, body)).join(', ');
      assert.equal(headers['X-Service-Signature-Previous'] ?? '', expected);
    }
  });

  test('a secret is rotated five times in 24 hours at most', async () => {
    const webhook = await add();
    const owned = { account, id: webhook.id };
    const rotate = () => rotateSecret(store, owned, now());
    for (let i = 0; i < 5; i++) await rotate();
    time += 24 * HOUR - 1500;
    await assert.rejects(rotate, { code: 'rate_limited', retryAfter: 2 });
    time += 1500;
    assert.equal((await rotate())!.previous_secret_until, new Date(time + 24 * HOUR).toISOString());
  });

  test('several that deliver at once make each attempt once', async () => {
    await add();
    await tell(45);
    const counts = await Promise.all([deliver(), deliver(), deliver()]);
    assert.equal(
      counts.reduce((sum, { delivered }) => sum + delivered, 0),
      45,
    );
    assert.equal(new Set(bodies().map(({ id }) => id)).size, 45);
  });

  test('a test is attempted once, whatever becomes of it', async () => {
    const webhook = await add();
    await testWebhook(store, { account, id: webhook.id }, now());
    answer = 500;
    assert.deepEqual(await deliver(), { delivered: 0, failed: 1 });
    const { status, attempts, response_status, error, next_attempt_at } = await log(webhook);
    assert.deepEqual([status, attempts, response_status, next_attempt_at], ['failed', 1, 500, null]);
    assert.equal(error, 'answers 500');
    time += 48 * HOUR;
    assert.deepEqual(await deliver(), { delivered: 0, failed: 0 });
  });

  test('the wait for the next attempt does not tell how long one took', async () => {
    const webhook = await add();
    await tell();
    answer = new Error('no answer');
    await deliverDue(store, now, undefined, {
      send: (message) => {
        time += 5 * SECOND;
        return send(message);
      },
    });
    assert.equal((await log(webhook)).next_attempt_at, new Date(START + 10 * SECOND).toISOString());
  });

  test('what the watcher finds is told once, to those who subscribed: releases, and upgrades that come and go', async () => {
    await add();
    await add(['upgrade.cancelled'], 'https://other.example/');
    await deliver({ ...NOTHING, upstream: [] });
    await deliver(NOTHING);
    assert.deepEqual(told(), [], 'the first releases are no news');
    const upstream = [release('v29.1.0'), release('v29.0.0'), ...NOTHING.upstream];
    const steps: [Partial<ReleaseWatch>, unknown[]][] = [
      [
        { upstream },
        [
          ['release.published', 'v29.0.0'],
          ['release.published', 'v29.1.0'],
        ],
      ],
      [{ upstream }, []],
      [{ upstream: [] }, []],
      [{ upstream, pending_upgrade: PLAN }, [['upgrade.scheduled', 2000]]],
      [{ upstream, pending_upgrade: { ...PLAN, estimated_time: null } }, []],
      [
        { upstream, pending_upgrade: { ...PLAN, height: 3000 } },
        [
          ['upgrade.cancelled', 2000],
          ['upgrade.cancelled', 2000],
          ['upgrade.scheduled', 3000],
        ],
      ],
      [{ upstream, height: null }, []],
      [{ upstream, height: 3000 }, []],
      [{ upstream, pending_upgrade: PLAN }, [['upgrade.scheduled', 2000]]],
      [
        { upstream, height: 1999 },
        [
          ['upgrade.cancelled', 2000],
          ['upgrade.cancelled', 2000],
        ],
      ],
      [{ upstream }, []],
    ];
    for (const [i, [found, expected]] of steps.entries()) {
      await deliver({ ...NOTHING, ...found });
      assert.deepEqual(told().sort(), expected, `step ${i}`);
    }
  });

  test('a release comes with its effect on the index, and whether the operator must act', async () => {
    const [reviewed] = loadReference().nodeReleases.releases;
    const dataOf = async (found: string) => {
      await deliver({ ...NOTHING, upstream: [release(found), ...NOTHING.upstream], node_version: reviewed!.version });
      return bodies().map(({ data }) => data);
    };
    await add();
    await deliver(NOTHING);
    bodies();
    const { version, indexer_impact } = reviewed!;
    assert.deepEqual(await dataOf(version), [{ ...release(version), indexer_impact, attention: false }]);
    assert.deepEqual(await dataOf('v99.0.0'), [{ ...release('v99.0.0'), indexer_impact: '', attention: true }]);
  });

  test('two that look at once tell it once', async () => {
    await add();
    await deliver(NOTHING);
    const found = { ...NOTHING, pending_upgrade: { ...PLAN, name: 'v30' } };
    await Promise.all([deliver(found), deliver(found)]);
    assert.deepEqual(told(), [['upgrade.scheduled', 2000]]);
  });
});
