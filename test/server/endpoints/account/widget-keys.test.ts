/** Widget keys of the account of a validator's operator: made, shown once, used, listed and revoked. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { operatorAccount } from '../../../../pipeline/holdings/modules/validator.js';
import type { WidgetKeys } from '../../../../schemas/types.generated.js';
import { LIMITS } from '../../../../server/http/limits.js';
import { ensureAccount } from '../../../../server/people/accounts/accounts.js';
import { openSession, SESSION_COOKIE } from '../../../../server/people/accounts/sessions.js';
import { createWidgetKey } from '../../../../server/people/accounts/widget-keys.js';
import { OPERATORS, requireFaults, sharedServer, WALLETS } from '../../harness.js';
import { NOW, OWN_ORIGIN, posting, signedIn, withKey } from '../../people/accounts/signed-in.js';
import { onBothStores } from '../../people/store/stores.js';

const path = '/api/account/v1/widget-keys';
const origins = ['https://validator.example', 'http://localhost:3000'];
const validator = OPERATORS.alpha;

onBothStores(path, (variables) => {
  const server = sharedServer(() => ({ environment: { HUBLEDGER_DATABASE_URL: variables().HUBLEDGER_DATABASE_URL } }));
  /** The account that signed in with the wallet of this operator. */
  const operatorOf = async (operator: string) => {
    const account = await ensureAccount(server.store, 'cosmos', operatorAccount(operator), NOW);
    const cookie = `${SESSION_COOKIE}=${await openSession(server.store, account, NOW)}`;
    return { cookie, origin: OWN_ORIGIN };
  };
  let alpha: Record<string, string>;
  let bravo: Record<string, string>;
  before(async () => {
    [alpha, bravo] = [await operatorOf(validator), await operatorOf(OPERATORS.bravo)];
  });
  const list = async (headers: Record<string, string>) => (await server.ask(path, { headers })).json<WidgetKeys>();
  const create = async () => {
    const answer = await server.ask(path, posting({ validator, origins }, alpha));
    assert.equal(answer.status, 201, answer.text);
    return answer.json();
  };
  const use = async (key: string, origin: string) => {
    const query = new URLSearchParams({ address: WALLETS.light, api_key: key });
    return (await server.ask(`/api/tax/v1/delegator-report?${query}`, { headers: { origin } })).status;
  };

  test('a key is made, shown once, works on pages of its origins, and has its last use listed', async () => {
    const { key, ...made } = await create();
    assert.deepEqual([made.validator, made.origins, made.last_used_at], [validator, origins, null]);
    assert.deepEqual([await use(key, origins[1]!), await use(key, 'https://evil.example')], [200, 403]);
    const { validators, keys } = await list(alpha);
    assert.deepEqual(validators, [{ validator, moniker: 'Alpha Node' }]);
    assert.deepEqual(keys, [{ ...made, last_used_at: NOW.toISOString() }]);
    const revoked = await server.ask(`${path}/${made.id}`, { method: 'DELETE', headers: alpha });
    assert.deepEqual([revoked.status, await use(key, origins[0]!)], [204, 401]);
    assert.equal((await list(alpha)).keys[0]!.revoked_at, NOW.toISOString());
  });

  test('keys that the service’s operator made for a validator belong to it, too', async () => {
    const { key, id } = await createWidgetKey(server.store, { validator: OPERATORS.bravo, origins }, NOW);
    assert.deepEqual(
      (await list(bravo)).keys.map((one) => one.id),
      [id],
    );
    assert.equal((await server.ask(`${path}/${id}`, { method: 'DELETE', headers: bravo })).status, 204);
    assert.equal(await use(key, origins[0]!), 401);
  });

  test('other accounts have no validators, and neither see nor change these keys', async () => {
    const { id, key } = await create();
    const nobody = await signedIn(server, 'alice');
    assert.deepEqual(await list(nobody), { validators: [], keys: [] });
    for (const headers of [nobody, bravo]) {
      assert.ok(!(await list(headers)).keys.some((one) => one.id === id));
      const made = await server.ask(path, posting({ validator, origins }, headers));
      assert.deepEqual([made.status, made.json().code], [403, 'forbidden']);
      const revoked = await server.ask(`${path}/${id}`, { method: 'DELETE', headers });
      assert.deepEqual([revoked.status, revoked.json().code], [404, 'not_found']);
    }
    assert.equal(await use(key, origins[0]!), 200);
    const byKey = await server.ask(path, { headers: await withKey(server, ['tax:read']) });
    assert.deepEqual([byKey.status, byKey.json().code], [403, 'forbidden']);
  });

  test('each fault of a body is named', async () => {
    const cases: [body: object, paths: string[]][] = [
      [{}, ['validator', 'origins']],
      [{ validator, origins: [] }, ['origins']],
      [
        { validator, origins: ['https://a.example', 'validator.example', 'https://b.example/'] },
        ['origins/1', 'origins/2'],
      ],
      [{ validator, origins: ['*', 'null'] }, ['origins/0', 'origins/1']],
      [{ validator, origins: [origins[0], origins[0]] }, ['origins']],
    ];
    for (const [body, paths] of cases) {
      requireFaults(await server.ask(path, posting(body, alpha)), 422, paths, body);
    }
  });

  test('a validator has a limited number of keys in force', async () => {
    const { max } = LIMITS.accounts.widgetKeys;
    const inForce = (await list(alpha)).keys.filter(({ revoked_at }) => revoked_at === null);
    for (let n = inForce.length; n < max; n++) await createWidgetKey(server.store, { validator, origins }, NOW);
    const refused = await server.ask(path, posting({ validator, origins }, alpha));
    assert.deepEqual([refused.status, refused.json().code], [409, 'conflict']);
    await server.ask(`${path}/${inForce[0]!.id}`, { method: 'DELETE', headers: alpha });
    await create();
  });
});
