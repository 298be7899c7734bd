import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { SavedWallets } from '../../../../schemas/types.generated.js';
import { LIMITS } from '../../../../server/http/limits.js';
import { ensureNamedAccount } from '../../../../server/people/accounts/accounts.js';
import { savedDecisions } from '../../../../server/people/saved-entries.js';
import { startServer, type TestServer, WALLETS } from '../../harness.js';
import { NOW, posting, signedIn, withKey } from '../../people/accounts/signed-in.js';
import { onBothStores } from '../../people/store/stores.js';

const PATH = '/api/account/v1/saved';
const { light, short, flagged } = WALLETS;
const DECISIONS = { decisions: { '*': { mode: 'exclude' } } } as const;
const LOTS = {
  opening_lots: [{ denom: 'uatom', quantity: '20', acquired_date: '2024-03-01', cost_basis_usd: '200.00' }],
};

type Headers = Record<string, string>;

onBothStores(PATH, (variables) => {
  let server: TestServer;
  before(async () => {
    const { HUBLEDGER_DATABASE_URL } = variables();
    server = await startServer({ published: false, environment: { HUBLEDGER_DATABASE_URL } });
  });
  after(() => server.close());

  const save = async (headers: Headers, address: string, body: object) => {
    const kind = 'decisions' in body ? 'saved-decisions' : 'saved-opening-lots';
    const at = `/api/tax/v1/${kind}?address=${address}`;
    const saved = await server.ask(at, { ...posting(body, headers), method: 'PUT' });
    assert.equal(saved.status, 200, saved.text);
  };
  const list = async (headers: Headers) => (await server.ask(PATH, { headers })).json<SavedWallets>().wallets;
  const forget = (headers: Headers) => server.ask(PATH, { method: 'DELETE', headers });

  test('wallets are listed with what is saved about each; an entry without content is none', async () => {
    const alice = await signedIn(server, 'alice');
    assert.deepEqual(await list(alice), []);
    await save(alice, light, DECISIONS);
    await save(alice, light, LOTS);
    await save(alice, short, LOTS);
    await save(alice, flagged, DECISIONS);
    for (const empty of [{ decisions: {} }, { opening_lots: [] }]) await save(alice, WALLETS.silent, empty);
    const at = NOW.toISOString();
    const rows = (await list(alice)).map((one) => [one.address, one.decisions_saved_at, one.opening_lots_saved_at]);
    const expected = [
      [light, at, at],
      [short, null, at],
      [flagged, at, null],
    ];
    assert.deepEqual(rows.sort(), expected.sort());
    assert.deepEqual(await list(await signedIn(server, 'bob')), []);
    assert.equal((await list(await withKey(server, ['tax:read'], 'alice'))).length, 3);
  });

  test('looking at wallets, of which the report saves that nothing is decided, uses up nothing', async () => {
    const frank = await signedIn(server, 'frank');
    const account = await ensureNamedAccount(server.store, 'frank', NOW);
    for (let i = 1; i < LIMITS.saved.entries.max; i++) {
      await savedDecisions.replace(server.store, { account, address: `wallet ${i}` }, DECISIONS.decisions, NOW);
    }
    for (const wallet of [short, WALLETS.silent]) await save(frank, wallet, { decisions: {} });
    await save(frank, light, DECISIONS);
    assert.equal((await list(frank)).length, LIMITS.saved.entries.max);
    await save(frank, light, { decisions: {} });
    assert.equal((await list(frank)).length, LIMITS.saved.entries.max - 1, 'what is emptied is gone');
  });

  test('all of it is forgotten at once, and nobody else’s', async () => {
    const [carol, dave] = [await signedIn(server, 'carol'), await signedIn(server, 'dave')];
    for (const headers of [carol, dave]) {
      await save(headers, light, DECISIONS);
      await save(headers, short, LOTS);
    }
    for (const _ of ['once', 'again']) assert.equal((await forget(carol)).status, 204);
    assert.deepEqual([(await list(carol)).length, (await list(dave)).length], [0, 2]);
    const kept = await server.ask(`/api/tax/v1/saved-decisions?address=${light}`, { headers: carol });
    assert.deepEqual(kept.json().decisions, {});
  });

  test('who has no account, other keys, and pages of other sites, see and change nothing', async () => {
    const erin = await signedIn(server, 'erin');
    await save(erin, light, DECISIONS);
    assert.deepEqual([(await server.ask(PATH)).status, (await forget({})).status], [401, 401]);
    const key = await withKey(server, ['wasm:read'], 'erin');
    assert.equal((await server.ask(PATH, { headers: key })).json().code, 'insufficient_scope');
    assert.equal((await forget(key)).json().code, 'insufficient_scope');
    assert.equal((await forget({ ...erin, origin: 'https://evil.example' })).json().code, 'forbidden');
    assert.equal((await list(erin)).length, 1);
  });
});
