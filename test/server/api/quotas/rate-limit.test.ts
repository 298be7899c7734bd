import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import { parseList } from 'structured-headers';
import { readConfig } from '../../../../pipeline/config.js';
import { Quotas } from '../../../../server/api/quotas/quotas.js';
import { type KeyLimit, limitKey } from '../../../../server/people/accounts/keys.js';
import { startServer, type TestAnswer, WALLETS } from '../../harness.js';
import { posting, signedIn, withKey } from '../../people/accounts/signed-in.js';

const events = `/api/tax/v1/events?address=${WALLETS.short}`;

/** [name, parameters] of the only member of a structured list. */
function onlyMember(answer: TestAnswer, header: string) {
  const [member, ...more] = parseList(answer.headers.get(header) ?? '');
  assert.ok(member && more.length === 0);
  return { name: member[0], ...Object.fromEntries(member[1] as Map<string, number>) };
}

test('every answer of the tax API says what is left, until it is 429 with the time to wait', async (t) => {
  const server = await startServer({ environment: { HUBLEDGER_RATE_LIMIT: '5' } });
  t.after(() => server.close());
  const began = Math.floor(Date.now() / 1000);
  const fresh = await server.ask(events); // The first request also fetched the OpenAPI document.
  const etag = fresh.headers.get('etag') ?? '';
  const charged = [
    fresh,
    await server.ask(events, { headers: { 'if-none-match': etag } }),
    await server.ask('/api/tax/v1/events'),
    await server.ask('/api/tax/v1/tags', { method: 'DELETE' }),
  ];
  assert.deepEqual(
    charged.map(({ status }) => status),
    [200, 304, 400, 405],
  );
  const remaining = charged.map((answer) => Number(answer.headers.get('x-ratelimit-remaining')));
  // The document was asked for after the first answer.
  assert.deepEqual(remaining, [4, 2, 1, 0]);
  const ended = Math.floor(Date.now() / 1000);
  for (const [i, answer] of charged.entries()) {
    assert.deepEqual(onlyMember(answer, 'ratelimit-policy'), { name: 'tax', q: 5, w: 60 });
    const limit = onlyMember(answer, 'ratelimit') as { name: string; r: number; t: number };
    assert.deepEqual([limit.name, limit.r], ['tax', remaining[i]]);
    assert.ok(limit.t >= 1 && limit.t <= 60);
    assert.equal(answer.headers.get('x-ratelimit-limit'), '5');
    const reset = Number(answer.headers.get('x-ratelimit-reset'));
    assert.ok(reset > began && reset <= ended + limit.t, `epoch seconds by the real clock: ${reset}`);
  }
  const refused = await server.ask(events);
  assert.equal(refused.status, 429);
  const problem = refused.json();
  assert.equal(problem.code, 'rate_limited');
  assert.deepEqual(problem['violated-policies'], ['tax']);
  const limit = onlyMember(refused, 'ratelimit') as { r?: number; t?: number };
  assert.equal(limit.r, 0);
  assert.equal(problem.retry_after, limit.t);
  assert.equal(refused.headers.get('retry-after'), String(limit.t));
});

test('a clock that is set back two hours makes nobody wait for longer than the window', async (t) => {
  const server = await startServer({ environment: { HUBLEDGER_RATE_LIMIT: '1' } });
  t.after(() => server.close());
  await server.ask('/healthz');
  for (let i = 0; i < 2; i++) await server.ask(events);
  const { now } = Date;
  t.mock.method(Date, 'now', () => now() - 2 * 3_600_000);
  const refused = await server.ask(events);
  assert.equal(refused.status, 429);
  const seconds = Number(refused.headers.get('retry-after'));
  assert.ok(seconds >= 1 && seconds <= 60, `${seconds} s`);
});

test('what is about the service, and preflights, are not charged; unknown paths have a quota of their own', async (t) => {
  const server = await startServer({ environment: { HUBLEDGER_RATE_LIMIT: '2' } });
  t.after(() => server.close());
  await server.ask('/healthz');
  for (let i = 0; i < 5; i++) {
    for (const path of ['/healthz', '/readyz', '/llms.txt']) {
      assert.equal((await server.ask(path)).headers.get('ratelimit'), null, path);
    }
    await server.ask(events, { method: 'OPTIONS', headers: { 'access-control-request-method': 'GET' } });
  }
  for (const path of ['/api/tax/v1/nothing', '/assets/nothing.js', '/assets/a/b']) {
    const unknown = await server.ask(path);
    assert.equal(unknown.status, 404, path);
    assert.deepEqual(onlyMember(unknown, 'ratelimit-policy'), { name: 'unknown-path', q: 60, w: 60 }, path);
  }
  assert.equal((await server.ask(events)).status, 200);
  assert.equal((await server.ask(events)).status, 429);
});

test('behind proxies a client is who the outermost trusted one saw; IPv6 by household', async (t) => {
  const server = await startServer({ environment: { HUBLEDGER_RATE_LIMIT: '1', HUBLEDGER_TRUSTED_HOPS: '1' } });
  t.after(() => server.close());
  await server.ask('/healthz', { headers: { 'x-forwarded-for': '192.0.2.200' } });
  const asked = async (forwarded: string) =>
    (await server.ask(events, { headers: { 'x-forwarded-for': forwarded } })).status;
  assert.equal(await asked('192.0.2.1'), 200);
  assert.equal(await asked('192.0.2.1'), 429);
  assert.equal(await asked('198.51.100.7, 192.0.2.1'), 429, 'what the client wrote itself counts for nothing');
  assert.equal(await asked('192.0.2.1, 192.0.2.2'), 200);
  assert.equal(await asked('2001:db8:1:200::1'), 200);
  assert.equal(await asked('2001:db8:1:2ff::2'), 429);
  assert.equal(await asked('2001:db8:1:300::1'), 200);
});

test('accounts of one address share a quota of five times that of an account', async (t) => {
  const server = await startServer({ environment: { HUBLEDGER_RATE_LIMIT: '4' } });
  t.after(() => server.close());
  await server.ask('/healthz');
  const accounts = await Promise.all(Array.from({ length: 29 }, (_, i) => signedIn(server, `account ${i}`)));
  const answers: Response[] = [];
  // All at once would be more connections than an address may have.
  for (let round = 0; round < 4; round++) {
    const asked = accounts.map(({ cookie }) => fetch(server.base + events, { headers: { cookie: cookie! } }));
    answers.push(...(await Promise.all(asked)));
  }
  const answered = answers.filter(({ status }) => status === 200);
  assert.equal(answered.length, 20);
  const refused = await server.ask(events, { headers: accounts[0]! });
  assert.deepEqual([refused.status, refused.json()['violated-policies']], [429, ['address']]);
  assert.deepEqual(onlyMember(refused, 'ratelimit-policy'), { name: 'address', q: 20, w: 60 });
  const wrong = { headers: { authorization: `Bearer hl_${'0'.repeat(16)}${'A'.repeat(43)}` } };
  assert.equal((await server.ask(events, wrong)).status, 429, 'a wrong key is refused before it is looked up');
});

test('a key with a limit has that many requests for itself, whatever its account and address have', async (t) => {
  const server = await startServer({ environment: { HUBLEDGER_RATE_LIMIT: '2', HUBLEDGER_TIERS: 'gold=13' } });
  t.after(() => server.close());
  await server.ask('/healthz'); // fetches the OpenAPI document
  const limited = await withKey(server, ['tax:read'], 'alice');
  const id = limited.authorization.slice('Bearer hl_'.length).slice(0, 16);
  const other = await withKey(server, ['tax:read'], 'alice');
  const set = (limit: KeyLimit) => limitKey(server.store, id, limit);
  await set({ rate_limit: null, tier: 'gold' });
  const answers: TestAnswer[] = [];
  for (let i = 0; i < 14; i++) answers.push(await server.ask(events, { headers: limited }));
  assert.deepEqual(
    answers.map(({ status }) => status),
    [...Array<number>(13).fill(200), 429],
    'more than the ten of its address',
  );
  for (const [i, answer] of answers.entries()) {
    assert.deepEqual(onlyMember(answer, 'ratelimit-policy'), { name: 'tax', q: 13, w: 60 });
    assert.equal(answer.headers.get('x-ratelimit-limit'), '13');
    assert.equal(answer.headers.get('x-ratelimit-remaining'), String(Math.max(12 - i, 0)));
  }
  const refused = answers.at(-1)!.json();
  assert.deepEqual([refused.detail, refused['violated-policies']], ['more than 13 requests in 60 seconds', ['tax']]);
  const statuses = async (headers: Record<string, string>, times: number) => {
    const found: number[] = [];
    for (let i = 0; i < times; i++) found.push((await server.ask(events, { headers })).status);
    return found;
  };
  assert.deepEqual(await statuses(other, 3), [200, 200, 429], 'the account has its own quota still');
  await set({ rate_limit: 15, tier: null });
  const raised = await server.ask(events, { headers: limited });
  assert.deepEqual([raised.status, raised.headers.get('ratelimit-policy')], [200, '"tax";q=15;w=60'], 'at once');
  await set({ rate_limit: null, tier: null });
  const usual = await server.ask(events, { headers: limited });
  assert.deepEqual(
    [usual.status, usual.headers.get('ratelimit-policy')],
    [429, '"tax";q=2;w=60'],
    'its account’s again',
  );
});

test('a key may have a lower limit than its account, and a limit without the scope tax:read', async (t) => {
  const server = await startServer({ environment: { HUBLEDGER_RATE_LIMIT: '9' } });
  t.after(() => server.close());
  await server.ask('/healthz');
  const headers = await withKey(server, ['wasm:read']);
  const id = headers.authorization.slice('Bearer hl_'.length).slice(0, 16);
  await limitKey(server.store, id, { rate_limit: 1, tier: null });
  const [first, second] = [await server.ask(events, { headers }), await server.ask(events, { headers })];
  assert.deepEqual([first.status, second.status], [200, 429]);
  assert.equal((await server.ask(events)).headers.get('x-ratelimit-remaining'), '7', 'only the document and this one');
});

test('rows of a key with a limit are limited in proportion', async (t) => {
  const quotas = (await Quotas.open(readConfig({ HUBLEDGER_RATE_LIMIT: '60' }), pino({ enabled: false })))!;
  t.after(() => quotas.close());
  const key = { client: 'key:0123456789abcdef', requests: 600 };
  await quotas.chargeRows(key, 600 * 5000 - 1);
  await quotas.chargeRows(key, 1);
  await assert.rejects(quotas.chargeRows(key, 1), { message: 'rate_limited: more than 3000000 rows in 60 seconds' });
});

test('an address signs in five times a minute, whoever it is', async (t) => {
  const server = await startServer({ environment: { HUBLEDGER_RATE_LIMIT: '60' } });
  t.after(() => server.close());
  const challenge = () => server.ask('/api/account/v1/sign-in/challenge', posting({ address: WALLETS.short }));
  for (let i = 0; i < 10; i++) assert.equal((await challenge()).status, 200);
  const refused = await challenge();
  assert.deepEqual([refused.status, refused.json()['violated-policies']], [429, ['sign-in']]);
  const withSession = await server.ask('/api/account/v1/sign-in', posting({}, await signedIn(server)));
  assert.equal(withSession.status, 429, 'an account does not make another address');
});

test('a URL that is too long is charged like any other request', async (t) => {
  const server = await startServer({ environment: { HUBLEDGER_RATE_LIMIT: '9' } });
  t.after(() => server.close());
  const refused = await server.ask(`${events}&padding=${'x'.repeat(70 * 1024)}`);
  assert.equal(refused.status, 400);
  assert.equal(refused.headers.get('x-ratelimit-remaining'), '8');
});

test('without proxies X-Forwarded-For is nobody’s business', async (t) => {
  const server = await startServer({ environment: { HUBLEDGER_RATE_LIMIT: '2' } });
  t.after(() => server.close());
  await server.ask('/healthz');
  const statuses = [];
  for (let i = 0; i < 3; i++) {
    statuses.push((await server.ask(events, { headers: { 'x-forwarded-for': `192.0.2.${i}` } })).status);
  }
  assert.deepEqual(statuses, [200, 429, 429], 'one request went to the document');
});

test('rows of long answers are charged by the quota that the operator sets, and the answer that uses it up is made', async () => {
  for (const rateLimit of [2, 60]) {
    const config = readConfig({ HUBLEDGER_RATE_LIMIT: String(rateLimit) });
    const somebody = { client: 'somebody' };
    const quotas = (await Quotas.open(config, pino({ enabled: false })))!;
    await quotas.chargeRows(somebody, rateLimit * 5000 - 1);
    await quotas.chargeRows(somebody, 50_000);
    await assert.rejects(quotas.chargeRows(somebody, 1), {
      code: 'rate_limited',
      message: `rate_limited: more than ${rateLimit * 5000} rows in 60 seconds`,
    });
    await quotas.chargeRows({ client: 'another' }, 1);
    quotas.close();
  }
});
