import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { DelegatorReport, PricedEvent } from '../../../schemas/types.generated.js';
import { createWidgetKey, listWidgetKeys, revokeWidgetKey } from '../../../server/people/accounts/widget-keys.js';
import { OPERATORS, sharedServer, startServer, WALLETS } from '../harness.js';
import { onBothStores } from '../people/store/stores.js';
import { recordedEvents } from '../published.js';

const path = '/api/tax/v1/delegator-report';
const now = new Date('2026-06-01T00:00:00Z');
const page = 'https://validator.example';
const shop = 'https://shop.validator.example:8443';
const { busy, big, short, silent } = WALLETS;
/** The wallet whose rows are made up here. */
const address = WALLETS.light;

/** Rewards of every shape beside income and receipts that are none. */
function madeUpEvents(): PricedEvent[] {
  const like = recordedEvents(busy).find(({ category }) => category === 'staking_reward')!;
  const shapes: [day: string, amount: bigint, more: Partial<PricedEvent>][] = [
    ['2026-01-10', 1_500_000n, {}],
    ['2026-02-10', 250_000n, { validator: OPERATORS.bravo }],
    ['2026-02-11', 1n, { received_price: null }],
    ['2026-03-10', 7n, { received_denom: 'ibc/AB', received_price: null }],
    ['2026-03-11', 30_000n, { category: 'liquid_stake_reward' }],
    ['2026-03-12', 9_000_000n, { category: 'validator_commission' }],
    ['2026-03-13', 5_000_000n, { category: 'transfer_in', reward_trigger: null }],
  ];
  return shapes.map(([day, received_amount, more], n) => ({
    ...like,
    ...{ address, id: `r-${n}`, height: 10 + n, time: `${day} 12:00:00`, received_amount },
    ...{ validator: OPERATORS.alpha, received_price: 2_000_000n },
    ...more,
  }));
}

const content = {
  wallets: {
    [address]: madeUpEvents(),
    ...Object.fromEntries([busy, big, short].map((one) => [one, recordedEvents(one)])),
  },
  flagged: [],
  prices: {},
};

onBothStores(path, (variables) => {
  const server = sharedServer(() => ({
    content,
    environment: { HUBLEDGER_DATABASE_URL: variables().HUBLEDGER_DATABASE_URL },
  }));
  let key: string;
  before(async () => {
    key = await makeKey();
  });
  const makeKey = async (validator = OPERATORS.alpha) =>
    (await createWidgetKey(server.store, { validator, origins: [page, shop] }, now)).key;
  const ask = (query: Record<string, string>, headers: Record<string, string> = {}, method = 'GET') =>
    server.ask(`${path}?${new URLSearchParams({ address, ...query })}`, { method, headers });
  const report = async (query: Record<string, string> = {}) => {
    const answer = await ask({ api_key: key, ...query });
    assert.equal(answer.status, 200, answer.text);
    return answer.json<DelegatorReport>();
  };

  test('by hand: staking and liquid-stake rewards count, commission and receipts do not', async () => {
    const { coverage, ...said } = await report();
    assert.deepEqual([coverage.index_start, coverage.complete], ['2025-12-31', true]);
    assert.deepEqual(said, {
      address,
      chain: 'cosmoshub',
      rewards_amount: '1.780001',
      symbol: 'ATOM',
      rewards_usd: '3.56',
      taxable_events: 5,
      price_missing_rows: 2,
      recognition_policy: 'at-claim',
      methodology_version: (await server.ask('/api/tax/v1/methodology')).json().version,
      powered_by: 'hubledger',
      scope: 'wallet',
      validator: OPERATORS.alpha,
      moniker: '',
      start: coverage.index_start,
      end: coverage.index_end,
    });
    const figures = async (query: Record<string, string>) => {
      const { rewards_amount, rewards_usd, taxable_events, price_missing_rows } = await report(query);
      return [rewards_amount, rewards_usd, taxable_events, price_missing_rows];
    };
    assert.deepEqual(await figures({ scope: 'validator' }), ['1.530001', '3.06', 4, 2]);
    assert.deepEqual(await figures({ start: '2026-02-10', end: '2026-02-11' }), ['0.250001', '0.50', 2, 1]);
    assert.deepEqual(await figures({ address: silent }), ['0', '0.00', 0, 0]);
    const bravo = await makeKey(OPERATORS.bravo);
    assert.deepEqual(await figures({ api_key: bravo, scope: 'validator' }), ['0.25', '0.50', 1, 0]);
  });

  test('it is the sum of the wallet’s reward rows as /events lists them', async () => {
    for (const wallet of [address, busy, big, short]) {
      const { events, summary } = (await server.ask(`/api/tax/v1/events?address=${wallet}`)).json();
      const rows: Record<string, never>[] = events.filter(({ category }: { category: string }) =>
        ['staking_reward', 'liquid_stake_reward'].includes(category),
      );
      const its = await report({ address: wallet });
      const cents = rows.reduce((sum, row) => sum + Math.round(Number(row.valueUsd) * 100), 0);
      assert.equal(Number(its.rewards_amount), summary.stakingRewards, wallet);
      assert.equal(its.rewards_usd, (cents / 100).toFixed(2), wallet);
      assert.equal(its.taxable_events, rows.length, wallet);
      assert.equal(its.price_missing_rows, rows.filter((row) => row.priceMissing).length, wallet);
      assert.ok(rows.length > 0, wallet);
    }
  });

  test('a page of the key’s origins reads it, without credentials and without a cache', async () => {
    for (const origin of [page, shop]) {
      const { status, headers } = await ask({ api_key: key }, { origin });
      assert.equal(status, 200);
      assert.equal(headers.get('access-control-allow-origin'), origin);
      assert.equal(headers.get('access-control-allow-credentials'), null);
      assert.match(headers.get('access-control-expose-headers') ?? '', /Retry-After/);
      assert.equal(headers.get('vary'), 'Accept-Encoding, Origin');
      assert.equal(headers.get('cache-control'), 'private, no-store');
      const known = await ask({ api_key: key }, { origin, 'if-none-match': headers.get('etag')! });
      assert.deepEqual([known.status, known.headers.get('cache-control')], [304, 'private, no-store']);
    }
    const program = await ask({ api_key: key });
    assert.equal(program.status, 200, 'none sent is allowed');
    assert.equal(program.headers.get('access-control-allow-origin'), null);
    assert.equal(program.headers.get('vary'), 'Accept-Encoding, Origin');
    const wrong = await ask({ api_key: key, address: 'cosmos1' }, { origin: page });
    assert.deepEqual([wrong.status, wrong.headers.get('access-control-allow-origin')], [400, '*']);
  });

  test('by POST the wallet is in the body, the key in the query, and the answer is the same', async () => {
    const send = (
      body: object,
      query: Record<string, string> = { api_key: key },
      headers: Record<string, string> = {},
    ) =>
      server.ask(`${path}?${new URLSearchParams(query)}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
    const range = { start: '2026-02-01', end: '2026-02-28', scope: 'validator' };
    const answer = await send({ address, ...range }, undefined, { origin: page });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(answer.json(), await report(range));
    assert.equal(answer.headers.get('access-control-allow-origin'), page);
    assert.equal(answer.headers.get('cache-control'), 'private, no-store');
    assert.equal(answer.headers.get('etag'), null);
    assert.equal(answer.headers.get('x-ignored-parameters'), null);
    const elsewhere = await send({ address, api_key: key }, { api_key: key, start: '2026-02-01' });
    assert.deepEqual(elsewhere.json().ignored, ['api_key', 'start'], 'the body has parameters, and the query the key');
    const wrong = await send({ address: 'cosmos1' });
    assert.deepEqual([wrong.status, wrong.json().errors[0].path], [422, 'address']);
    for (const [query, status] of [
      [{}, 401],
      [{ api_key: 'hlw_' }, 401],
    ] as const) {
      assert.equal((await send({ address, api_key: key }, query)).status, status, 'the body has no key');
    }
    assert.equal((await send({ address }, undefined, { origin: 'https://evil.example' })).status, 403);
    assert.ok(!JSON.stringify(server.log).includes(address));
  });

  test('other origins are refused, null among them', async () => {
    for (const origin of [
      'null',
      'https://evil.example',
      `${page}.evil.example`,
      `${page}:8443`,
      'http://validator.example',
      `${page}/`,
      '',
    ]) {
      const { status, headers, json } = await ask({ api_key: key }, { origin });
      assert.deepEqual([status, json().code], [403, 'forbidden'], origin);
      assert.equal(headers.get('access-control-allow-origin'), '*', 'the console of the page shows the reason');
      assert.ok(json().detail.includes(JSON.stringify(origin)), json().detail);
      assert.equal(headers.get('vary'), 'Accept-Encoding, Origin', origin);
    }
  });

  test('without a key, or with another, it is 401 and says how to call', async () => {
    const revoked = await makeKey();
    assert.ok(await revokeWidgetKey(server.store, revoked.slice(4, 20), now));
    const changed = key.slice(0, -2) + (key.at(-2) === 'A' ? 'B' : 'A') + key.at(-1);
    const cases: [Record<string, string>, string][] = [
      [{}, 'unauthorized'],
      [{ api_key: '' }, 'unauthorized'],
      ...[changed, revoked, key.replace('hlw_', 'hl_'), `hlw_${'0'.repeat(16)}${key.slice(20)}`, '%'].map(
        (api_key): [Record<string, string>, string] => [{ api_key }, 'invalid_api_key'],
      ),
    ];
    for (const [query, code] of cases) {
      const { status, headers, json } = await ask(query, { origin: page });
      assert.deepEqual([status, json().code], [401, code], JSON.stringify(query));
      assert.match(headers.get('www-authenticate') ?? '', /^Bearer realm="api"/);
      assert.equal(headers.get('access-control-allow-origin'), '*');
    }
    const twice = await server.ask(`${path}?address=${address}&api_key=${key}&api_key=${key}`);
    assert.deepEqual([twice.status, twice.json().detail], [400, 'api_key: is given 2 times']);
  });

  test('a preflight is answered for pages of the key only', async () => {
    const preflight = (origin: string) =>
      ask({ api_key: key }, { origin, 'access-control-request-method': 'GET' }, 'OPTIONS');
    const own = await preflight(page);
    assert.equal(own.status, 204);
    assert.equal(own.headers.get('access-control-allow-origin'), page);
    assert.equal(own.headers.get('access-control-allow-methods'), 'GET, HEAD, OPTIONS, POST');
    const other = await preflight('https://evil.example');
    for (const name of ['origin', 'methods']) assert.equal(other.headers.get(`access-control-allow-${name}`), null);
  });

  test('neither the key nor the wallet comes into the log or a problem', async () => {
    const refused = await ask({ api_key: key }, { origin: 'null' });
    const malformed = await server.ask(`${path}?api_key=${key}&start=%zz`);
    assert.equal(malformed.status, 400);
    for (const text of [refused.text, malformed.text, JSON.stringify(server.log)]) {
      assert.ok(!text.includes(key.slice(20)) && !text.includes(address));
    }
  });

  test('nothing in the store is the key', async () => {
    const rows = [
      await listWidgetKeys(server.store),
      await server.store.query('widget-keys/find', { id: key.slice(4, 20) }),
    ];
    assert.ok(!JSON.stringify(rows).includes(key.slice(20)));
  });
});

test('requests are charged to the caller’s quota, and the page may read the refusal', async (t) => {
  const server = await startServer({ content, environment: { HUBLEDGER_RATE_LIMIT: '3' } });
  t.after(() => server.close());
  const { key } = await createWidgetKey(server.store, { validator: OPERATORS.alpha, origins: [page] }, now);
  const ask = (api_key: string) =>
    server.ask(`${path}?${new URLSearchParams({ address, api_key })}`, { headers: { origin: page } });
  assert.equal((await ask('wrong')).status, 401); // and the harness reads the interface's document
  assert.equal((await ask(key)).status, 200);
  const { status, headers } = await ask(key);
  assert.equal(status, 429);
  assert.equal(headers.get('access-control-allow-origin'), '*');
  assert.ok(Number(headers.get('retry-after')) >= 1);
});
