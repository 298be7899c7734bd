import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { Sessions } from '../../../../schemas/types.generated.js';
import { ensureNamedAccount } from '../../../../server/people/accounts/accounts.js';
import { openSession, SESSION_COOKIE } from '../../../../server/people/accounts/sessions.js';
import type { CachedQueries } from '../../../../server/people/store/store.js';
import { sharedServer, startServer } from '../../harness.js';
import { NOW, OWN_ORIGIN, withKey } from '../../people/accounts/signed-in.js';
import { onBothStores } from '../../people/store/stores.js';

const PATH = '/api/account/v1/sessions';
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';
const HOUR_MS = 3_600_000;

type Headers = Record<string, string>;

onBothStores(PATH, (variables) => {
  const server = sharedServer(() => ({ environment: { HUBLEDGER_DATABASE_URL: variables().HUBLEDGER_DATABASE_URL } }));

  /** Signs in to the account of that name in another browser. */
  const enter = async (name: string, userAgent?: string, at = NOW): Promise<Headers> => {
    const account = await ensureNamedAccount(server.store, name, at);
    const token = await openSession(server.store, account, at, { userAgent });
    return { cookie: `${SESSION_COOKIE}=${token}`, origin: OWN_ORIGIN };
  };
  const list = async (headers: Headers): Promise<Sessions['sessions']> =>
    (await server.ask(PATH, { headers })).json<Sessions>().sessions;
  const isIn = async (headers: Headers, at = server) =>
    (await at.ask('/api/account/v1/me', { headers })).status === 200;
  const end = (headers: Headers, id: string) => server.ask(`${PATH}/${id}`, { method: 'DELETE', headers });
  const endOthers = (headers: Headers) => server.ask(`${PATH}/end-others`, { method: 'POST', headers });

  test('each is listed by browser, beginning and last use, with a mark at the one that asks', async () => {
    const earlier = new Date(NOW.getTime() - 90 * 60_000);
    const [firefox, unknown] = [await enter('listed', FIREFOX, earlier), await enter('listed', 'curl/8.0', earlier)];
    const [mine, other, ...none] = await list(firefox);
    assert.deepEqual(
      [mine!.device, mine!.current, other!.device, other!.current],
      ['Firefox on Linux', true, null, false],
    );
    assert.deepEqual([mine!.created_at, mine!.last_used_at], [earlier.toISOString(), NOW.toISOString()]);
    assert.equal(other!.last_used_at, earlier.toISOString(), 'not used since');
    assert.match(mine!.id, /^[0-9a-f]{16}$/);
    assert.deepEqual(none, []);
    assert.deepEqual((await list(unknown)).map(({ id }) => id).sort(), [mine!.id, other!.id].sort());
  });

  test('its last use is kept to the hour', async () => {
    const begun = new Date(NOW.getTime() - 5 * HOUR_MS + 1);
    const used = await enter('hours', FIREFOX, begun);
    await isIn(used);
    const [mine] = await list(used);
    assert.equal(mine!.last_used_at, NOW.toISOString());
    assert.equal(NOW.getTime() % HOUR_MS, 0);
  });

  test('one is ended, and is over at once', async () => {
    const [here, there] = [await enter('one', FIREFOX), await enter('one')];
    const ids = (await list(here)).map(({ id }) => id);
    assert.equal((await end(here, ids[1]!)).status, 204);
    assert.deepEqual([await isIn(here), await isIn(there)], [true, false]);
    assert.equal((await end(here, ids[1]!)).json().code, 'not_found');
    assert.equal((await end(here, ids[0]!)).status, 204, 'its own');
    assert.equal(await isIn(here), false);
  });

  test('all others are ended, and this one stays', async () => {
    const [here, ...others] = [await enter('others'), await enter('others'), await enter('others')];
    const stranger = await enter('stranger');
    assert.equal((await endOthers(here)).status, 204);
    assert.deepEqual(await Promise.all([here, ...others, stranger].map((one) => isIn(one))), [
      true,
      false,
      false,
      true,
    ]);
    assert.equal((await list(here)).length, 1);
  });

  test("another account's session is not found", async () => {
    const [victim, stranger] = [await enter('victim'), await enter('stranger')];
    const [session] = await list(victim);
    assert.deepEqual([(await end(stranger, session!.id)).status, await isIn(victim)], [404, true]);
  });

  test('sessions are ended by people on the pages of the service alone', async () => {
    const headers = await enter('people');
    const [{ id }] = (await list(headers)) as [Sessions['sessions'][number]];
    const { origin: _, ...cookie } = headers;
    for (const foreign of [cookie, { ...cookie, origin: 'https://evil.example' }] as Headers[]) {
      assert.equal((await end(foreign, id)).json().code, 'forbidden');
      assert.equal((await endOthers(foreign)).json().code, 'forbidden');
    }
    const key = await withKey(server, ['tax:read'], 'people');
    for (const refused of [await end(key, id), await endOthers(key), await server.ask(PATH, { headers: key })]) {
      assert.equal(refused.json().code, 'forbidden');
    }
    assert.equal((await server.ask(PATH)).status, 401);
    assert.equal((await server.ask(`${PATH}/end-others`)).headers.get('allow'), 'OPTIONS, POST');
    assert.ok(await isIn(headers));
  });

  test('a second server on the same database notices within a second', async (t) => {
    const { HUBLEDGER_DATABASE_URL } = variables();
    if (HUBLEDGER_DATABASE_URL === '') return; // the embedded store is open in one process alone
    const second = await startServer({ environment: { HUBLEDGER_DATABASE_URL } });
    t.after(() => second.close());
    const [here, there] = [await enter('two servers'), await enter('two servers')];
    assert.ok(await isIn(there, second));
    await endOthers(here);
    await wait(1100);
    assert.deepEqual([await isIn(there, second), await isIn(here, second)], [false, true]);
  });
});

/** Returns the device that a new session gets. */
async function deviceOf(userAgent: string | undefined) {
  let stored: unknown;
  const query = async (_name: string, { device }: { device: unknown }) => {
    stored = device;
    return [];
  };
  await openSession({ query } as unknown as CachedQueries, 'account', NOW, { userAgent });
  return stored as string | null;
}

test('a device is named where it is recognised, and never longer than a line', async () => {
  const cases: [string | undefined, string | null][] = [
    [FIREFOX, 'Firefox on Linux'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
      'Safari on iOS',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
      'Chrome on Windows',
    ],
    ['curl/8.0', null],
    ['', null],
    [undefined, null],
  ];
  for (const [userAgent, words] of cases) assert.equal(await deviceOf(userAgent), words, userAgent);
  for (const odd of ['(', ' ', 'Mozilla/', '\\', 'a'])
    assert.ok(((await deviceOf(odd.repeat(100_000))) ?? '').length <= 60, odd);
});
