import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { deliverDue } from '../../../../server/people/webhooks/deliver.js';
import { requireFaults, sharedServer } from '../../harness.js';
import { NOW, posting, signedIn, withKey } from '../../people/accounts/signed-in.js';
import { onBothStores } from '../../people/store/stores.js';

const path = '/api/upgrades/v1/webhooks';
const wanted = { url: 'https://ops.example/hooks?a=b', events: ['release.published', 'upgrade.scheduled'] };

onBothStores(path, (variables) => {
  const server = sharedServer(() => ({ environment: { HUBLEDGER_DATABASE_URL: variables().HUBLEDGER_DATABASE_URL } }));
  let alice: Record<string, string>;
  let bob: Record<string, string>;
  before(async () => {
    alice = await withKey(server, ['upgrades:webhooks']);
    bob = await signedIn(server, 'bob');
  });
  const post = (body: object, headers = alice, at = path) => server.ask(at, posting(body, headers));
  const patch = (id: string, body: object, headers = alice) =>
    server.ask(`${path}/${id}`, { ...posting(body, headers), method: 'PATCH' });
  const get = (at: string, headers = alice) => server.ask(`${path}${at}`, { headers });
  const create = async (headers = alice) => {
    const answer = await post(wanted, headers);
    assert.equal(answer.status, 201, answer.text);
    return answer.json();
  };

  test('an endpoint is made, shown with its secret once, listed, changed and ended', async () => {
    const { secret, ...webhook } = await create();
    assert.match(secret, /^hlsec_[\w-]{43}$/);
    const { id, ...rest } = webhook;
    assert.deepEqual(rest, { ...wanted, created_at: NOW.toISOString(), previous_secret_until: null });
    assert.deepEqual((await get('')).json(), { webhooks: [webhook] });
    assert.deepEqual((await get(`/${id}`)).json(), webhook);
    const changed = await patch(id, { events: ['upgrade.cancelled'] });
    assert.deepEqual([changed.status, changed.json()], [200, { ...webhook, events: ['upgrade.cancelled'] }]);
    const moved = await patch(id, { url: 'https://new.example/' });
    assert.deepEqual([moved.json().url, moved.json().events], ['https://new.example/', ['upgrade.cancelled']]);
    const ended = await server.ask(`${path}/${id}`, { method: 'DELETE', headers: alice });
    assert.deepEqual([ended.status, ended.text], [204, '']);
    assert.deepEqual((await get('')).json(), { webhooks: [] });
  });

  test('a session may, a key needs the scope', async () => {
    const { id } = await create(bob);
    assert.equal((await get(`/${id}`, bob)).status, 200);
    const refused = await post(wanted, await withKey(server, ['tax:read']));
    assert.deepEqual([refused.status, refused.json().code], [403, 'insufficient_scope']);
    assert.deepEqual([(await post(wanted, {})).status, (await get('', {})).status], [401, 401]);
    const { origin: _, ...cookie } = bob;
    assert.equal((await patch(id, { events: wanted.events }, cookie as typeof bob)).json().code, 'forbidden');
  });

  test("another account's endpoint is not found, whatever is asked of it", async () => {
    const { id } = await create(bob);
    for (const one of [id, 'unknown', 'a%00b']) {
      const answers = [
        await get(`/${one}`),
        await patch(one, { url: 'https://evil.example/' }),
        await post({}, alice, `${path}/${one}/rotate-secret`),
        await post({}, alice, `${path}/${one}/test`),
        await get(`/${one}/deliveries`),
        await server.ask(`${path}/${one}`, { method: 'DELETE', headers: alice }),
      ];
      for (const answer of answers) assert.deepEqual([answer.status, answer.json().code], [404, 'not_found']);
    }
    assert.equal((await get(`/${id}`, bob)).json().url, wanted.url);
    assert.deepEqual((await get(`/${id}/deliveries`, bob)).json(), { deliveries: [] });
  });

  test('an Idempotency-Key counts, also for the secret and the test', async () => {
    const headers = { ...alice, 'idempotency-key': 'once' };
    const [first, again] = [await post(wanted, headers), await post(wanted, headers)];
    assert.deepEqual(again.json(), first.json());
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    const at = `${path}/${first.json().id}/test`;
    assert.equal((await post({}, headers, at)).json().id, (await post({}, headers, at)).json().id);
    const rotation = `${path}/${first.json().id}/rotate-secret`;
    const [rotated, repeated] = [await post({}, headers, rotation), await post({}, headers, rotation)];
    assert.equal(repeated.headers.get('idempotent-replayed'), 'true');
    assert.equal(repeated.text, rotated.text);
  });

  test('each fault of a body is named, a private target among them', async () => {
    const { id } = await create();
    const url = (text: string) => ({ ...wanted, url: text });
    const cases: [object, string[]][] = [
      [{}, ['url', 'events']],
      [{ ...wanted, events: [] }, ['events']],
      [{ ...wanted, events: ['release.published', 'release.deleted'] }, ['events/1']],
      [{ ...wanted, events: ['webhook.test', 'webhook.test'] }, ['events']],
      ...[
        7,
        'x',
        'http://ops.example/',
        'https://127.0.0.1/',
        'https://[::ffff:10.0.0.1]/',
        'https://localhost:8080/',
      ].map((text): [object, string[]] => [url(text as string), ['url']]),
    ];
    for (const [body, paths] of cases) {
      requireFaults(await post(body), 422, paths, body);
    }
    for (const body of [{}, { url: 'https://169.254.169.254/' }, { events: ['x'] }]) {
      assert.equal((await patch(id, body)).status, 422, JSON.stringify(body));
    }
  });

  test('a test is delivered and logged, and a rotated secret shown', async () => {
    const { id, secret } = await create();
    const tested = await post({}, alice, `${path}/${id}/test`);
    assert.deepEqual([tested.status, tested.json().status, tested.json().attempts], [201, 'pending', 0]);
    await deliverDue(server.store, () => NOW, undefined, { send: async ({ url }) => (url === wanted.url ? 503 : 200) });
    const [delivery] = (await get(`/${id}/deliveries`)).json().deliveries;
    const { status, attempts, response_status, error, next_attempt_at } = delivery;
    assert.deepEqual(
      [delivery.event_id, status, attempts, response_status, error, next_attempt_at],
      [tested.json().event_id, 'failed', 1, 503, 'answers 503', null],
    );
    const rotated = (await post({}, alice, `${path}/${id}/rotate-secret`)).json();
    assert.match(rotated.secret, /^hlsec_/);
    assert.notEqual(rotated.secret, secret);
    assert.equal(rotated.previous_secret_until, '2026-06-02T00:00:00.000Z');
    assert.equal((await get(`/${id}`)).json().secret, undefined);
  });

  test('five tests an hour are made of an endpoint, also for many that come together', async () => {
    const at = `${path}/${(await create()).id}/test`;
    const answers = await Promise.all(Array.from({ length: 12 }, () => post({}, alice, at)));
    assert.equal(answers.filter(({ status }) => status === 201).length, 5);
    const refused = answers.find(({ status }) => status !== 201)!;
    assert.deepEqual([refused.status, refused.json().code, refused.json().retry_after], [429, 'rate_limited', 3600]);
    assert.equal((await post({}, alice, `${path}/${(await create()).id}/test`)).status, 201, 'others have their own');
  });

  test('an account has twenty at the most', async () => {
    const carol = await signedIn(server, 'carol');
    for (let i = 0; i < 20; i++) await create(carol);
    const refused = await post(wanted, carol);
    assert.deepEqual([refused.status, refused.json().code], [409, 'conflict']);
  });
});
