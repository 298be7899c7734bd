/** Caps of what an account may have: keys, sessions, submissions. What is over goes, or is refused. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { Config } from '../../../../pipeline/config.js';
import type { NewWebhook } from '../../../../schemas/types.generated.js';
import { LIMITS } from '../../../../server/http/limits.js';
import { ensureNamedAccount } from '../../../../server/people/accounts/accounts.js';
import { createKey } from '../../../../server/people/accounts/keys.js';
import { openSession } from '../../../../server/people/accounts/sessions.js';
import { Store, type Transactions } from '../../../../server/people/store/store.js';
import { addWebhook } from '../../../../server/people/webhooks/webhooks.js';
import { OPERATORS, sharedServer } from '../../harness.js';
import { onBothStores } from '../store/stores.js';
import { NOW, posting, signedIn, withKey } from './signed-in.js';

const ME = '/api/account/v1/me';
const KEYS = '/api/account/v1/keys';
const SUBMISSIONS = '/api/tax/v1/wasm/submissions';
const { keys, sessions, submissions } = LIMITS.accounts;
const DAY_MS = 86_400_000;

const server = sharedServer();

const status = async (headers: Record<string, string>) => (await server.ask(ME, { headers })).status;

test('an account has fifty keys in force, and fifty that are not', async () => {
  const headers = await signedIn(server, 'keys');
  const create = () => server.ask(KEYS, posting({ name: 'x', scopes: ['tax:read'] }, headers));
  const made: string[] = [];
  for (let i = 0; i < keys.max; i++) made.push((await create()).json().id);
  const refused = await create();
  assert.deepEqual([refused.status, refused.json().code], [409, 'conflict']);
  const revoke = (id: string) => server.ask(`${KEYS}/${id}`, { method: 'DELETE', headers });
  for (let i = 0; i < keys.max + 5; i++) {
    await revoke(made[i]!);
    const next = await create();
    assert.equal(next.status, 201);
    made.push(next.json().id);
  }
  const listed = (await server.ask(KEYS, { headers })).json().keys;
  assert.ok(listed.length <= 2 * keys.max + 1, String(listed.length));
});

test('an account has twenty submissions that wait', async () => {
  const headers = await withKey(server, ['wasm:read'], 'submissions');
  const note = 'Country DE: https://example.com/imprint names the seat in Berlin.';
  const submit = () =>
    server.ask(
      SUBMISSIONS,
      posting({ kind: 'validator_jurisdiction', contract_address: OPERATORS.alpha, note }, headers),
    );
  for (let i = 0; i < submissions.max; i++) assert.equal((await submit()).status, 201);
  const refused = await submit();
  assert.deepEqual([refused.status, refused.json().code], [409, 'conflict']);
});

test('an account has twenty sessions, of which the oldest ends', async () => {
  const opened = [];
  for (let i = 0; i <= sessions.max; i++)
    opened.push(await signedIn(server, 'sessions', new Date(NOW.getTime() - 60_000 + i)));
  assert.deepEqual(await Promise.all(opened.slice(0, 3).map(status)), [401, 200, 200]);
  assert.equal(await status(opened.at(-1)!), 200);
});

test('a session ends after half a year, however often it is used', async () => {
  const account = await ensureNamedAccount(server.store, 'faithful', NOW);
  const opened = new Date(NOW.getTime() - 179 * DAY_MS);
  const token = await openSession(server.store, account, opened);
  const { createHash } = await import('node:crypto');
  const hash = createHash('sha256').update(token).digest();
  await server.store.query('sessions/renew', { hash, expires: new Date(NOW.getTime() + 1000) });
  const { headers } = await server.ask(ME, { headers: { cookie: `__Secure-hubledger.session-token=${token}` } });
  assert.equal(headers.get('set-cookie'), null, 'it has no day left to be renewed for');
});

test('all sessions of an account end at once, and signing in ends the one before', async () => {
  const [one, other] = [await signedIn(server, 'everywhere'), await signedIn(server, 'everywhere')];
  const somebody = await signedIn(server, 'somebody');
  assert.equal((await server.ask('/api/account/v1/sessions', { method: 'DELETE', headers: one })).status, 204);
  assert.deepEqual(await Promise.all([one, other, somebody].map(status)), [401, 401, 200]);
  const account = await ensureNamedAccount(server.store, 'somebody', NOW);
  await openSession(server.store, account, NOW, { session: somebody.cookie!.split('=').at(-1)! });
  assert.equal(await status(somebody), 401);
});

test('of the sessions of two accounts none counts, and a cookie of nobody’s session harms none', async () => {
  const [victim, attacker] = [await signedIn(server, 'victim'), await signedIn(server, 'attacker')];
  for (const cookie of [`${attacker.cookie}; ${victim.cookie}`, `${victim.cookie}; ${attacker.cookie}`]) {
    assert.equal(await status({ cookie }), 401);
  }
  const [name] = victim.cookie!.split('=');
  const bad = Array.from({ length: 7 }, (_, i) => `${name}=${String(i).repeat(43)}`);
  for (const planted of [
    ...bad,
    `${name}=`,
    `${name}=short`,
    bad.join('; '),
    attacker.cookie!.slice(0, -1),
    victim.cookie!,
  ]) {
    assert.equal(await status({ ...victim, cookie: `${planted}; ${victim.cookie}` }), 200, planted);
    assert.equal(await status({ ...victim, cookie: `${victim.cookie}; ${planted}` }), 200, planted);
  }
  const path = '/api/account/v1/sign-out';
  const both = { ...victim, cookie: `${bad[0]}; ${victim.cookie}` };
  assert.equal((await server.ask(path, { method: 'POST', headers: both })).status, 204);
  assert.equal(await status(victim), 401, 'it is its own session that was ended');
});

test('a key without tax:read is told no wallets', async () => {
  const account = await ensureNamedAccount(server.store, 'private', NOW);
  await server.store.query('identities/add', { provider: 'cosmos', subject: 'a wallet', account, now: NOW });
  const identities = async (headers: Record<string, string>) => (await server.ask(ME, { headers })).json().identities;
  assert.deepEqual(await identities(await withKey(server, ['snapshots:read'], 'private')), []);
  assert.equal((await identities(await withKey(server, ['tax:read'], 'private'))).length, 1);
});

onBothStores('caps', (variables) => {
  let store: Store;
  before(() => {
    const { HUBLEDGER_DATA_DIR: dataDir, HUBLEDGER_DATABASE_URL: databaseUrl } = variables();
    store = new Store({ dataDir, ...(databaseUrl && { databaseUrl }) } as Pick<Config, 'dataDir' | 'databaseUrl'>);
  });
  after(() => store.close());

  test('hold for what comes while the last one is being added', async () => {
    const account = await ensureNamedAccount(store, 'hasty', NOW);
    const key = { account, name: 'x', scopes: ['tax:read'], expires: undefined } as const;
    const hook = { url: 'https://ops.example/', events: ['release.published'] } satisfies NewWebhook;
    const capped: [number, (to: Transactions) => Promise<unknown>][] = [
      [keys.max, (to) => createKey(to, key, NOW)],
      [LIMITS.webhooks.endpoints.max, (to) => addWebhook(to, account, hook, NOW)],
    ];
    for (const [most, add] of capped) {
      for (let i = 0; i < most - 1; i++) await add(store);
      let next: Promise<string> | undefined;
      await store.transaction(async (queries) => {
        await add({ query: queries.query, lookups: store.lookups, transaction: (work) => work(queries) });
        const added = add(store);
        next = added.then(
          () => 'added',
          (error: Error) => error.message,
        );
        await wait(200); // time in which it would find room
      });
      assert.match((await next)!, /you already have|the account has/);
    }
  });
});
