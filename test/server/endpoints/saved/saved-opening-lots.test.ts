import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { StatedLot } from '../../../../schemas/types.generated.js';
import { ensureNamedAccount } from '../../../../server/people/accounts/accounts.js';
import { savedOpeningLots } from '../../../../server/people/saved-entries.js';
import { startServer, type TestServer, WALLETS } from '../../harness.js';
import { NOW, posting, signedIn, withKey } from '../../people/accounts/signed-in.js';
import { onBothStores } from '../../people/store/stores.js';
import { recordedContent } from '../../published.js';
import { requireRefusals } from './refusals.js';

const PATH = '/api/tax/v1/saved-opening-lots';
const { light, short, silent } = WALLETS;
const HELD = { [light]: { uatom: '30000000' }, [short]: { uatom: '5000000' } };
const lot = (more: object = {}) => ({
  ...{ denom: 'uatom', quantity: '20', acquired_date: '2024-03-01', cost_basis_usd: '200.00' },
  ...more,
});

type Headers = Record<string, string>;

onBothStores(PATH, (variables) => {
  let server: TestServer;
  let alice: Headers;
  let key: Headers;
  before(async () => {
    const { HUBLEDGER_DATABASE_URL } = variables();
    const content = { ...recordedContent(), opening: HELD };
    server = await startServer({ content, environment: { HUBLEDGER_DATABASE_URL } });
    [alice, key] = [await signedIn(server), await withKey(server, ['tax:read'])];
  });
  after(() => server.close());
  beforeEach(async () => {
    for (const address of [light, short]) await server.ask(at(address), { method: 'DELETE', headers: alice });
  });

  const at = (address: string) => `${PATH}?address=${address}`;
  const put = (opening_lots: unknown, headers = alice, address = light) =>
    server.ask(at(address), { ...posting({ opening_lots }, headers), method: 'PUT' });
  const get = (headers: Headers, address = light) => server.ask(at(address), { headers });
  const read = (name: string, headers: Headers, query: Headers = {}) =>
    server.ask(`/api/tax/v1/${name}?${new URLSearchParams({ address: light, format: 'json', ...query })}`, { headers });
  const countOf = async (headers: Headers, query: Headers = {}) =>
    (await read('positions', headers, query)).json().saved_opening_lots;

  test('one list an address: put, shown, replaced as a whole, forgotten', async () => {
    const empty = (await get(alice)).json();
    assert.deepEqual(empty, { address: light, opening_lots: [], saved_at: null, etag: empty.etag });
    const saved = await put([lot(), lot({ quantity: '1.5', acquired_date: '2023-01-01' })]);
    assert.equal(saved.status, 200, saved.text);
    const opening_lots = [lot(), lot({ quantity: '1.5', acquired_date: '2023-01-01' })];
    const { etag, ...shown } = saved.json();
    assert.deepEqual(shown, { address: light, opening_lots, saved_at: NOW.toISOString() });
    assert.equal((await get(alice)).headers.get('etag'), etag);
    assert.equal((await get(key, light.toUpperCase())).text, saved.text, 'by key, the address in capitals');
    assert.deepEqual((await put([lot()], key)).json().opening_lots, [lot()]);
    assert.equal((await get(alice)).headers.get('cache-control'), 'private, no-store');
    assert.deepEqual((await get(await signedIn(server, 'bob'))).json(), empty);
    for (const _ of ['once', 'again'])
      assert.equal((await server.ask(at(light), { method: 'DELETE', headers: alice })).status, 204);
    assert.deepEqual((await get(alice)).json(), empty);
  });

  test('importers write the coins from before the index as receipts, saved lots with day and cost', async () => {
    await put([lot()]);
    const rows = async (headers: Headers, query: Headers = {}) => {
      const answer = await read('events', headers, { format: 'csv', profile: 'koinly', ...query });
      assert.equal(answer.status, 200, answer.text);
      const lines = answer.text.split('\r\n').filter((line) => line.includes('Held before the index'));
      return lines.map((line) => line.split(',').slice(0, 9).join(' '));
    };
    const unstated = (quantity: number) => `2025-12-31 00:00:00 UTC   ${quantity} ATOM    `;
    const stated = '2024-03-01 00:00:00 UTC   20 ATOM   200.00 USD';
    assert.deepEqual(await rows({}), [unstated(30)]);
    assert.deepEqual(await rows(alice), [stated, unstated(10)]);
    assert.deepEqual(await rows({}, { opening_lots: JSON.stringify([lot()]) }), [stated, unstated(10)]);
    assert.deepEqual(await rows(alice, { start: '2026-01-01' }), [stated, unstated(10)]);
    for (const query of [{ opening: 'none' }, { end: '2025-12-31' }, { type: 'rewards' }])
      assert.deepEqual(await rows(alice, query), [], JSON.stringify(query));
    const plain = await read('events', alice, { opening_lots: JSON.stringify([lot()]), opening: 'deposit' });
    assert.deepEqual(plain.json().ignored, ['opening_lots', 'opening']);
    assert.equal(plain.json().saved_opening_lots, undefined);
    assert.equal((await read('events', alice)).json().saved_opening_lots, undefined);
  });

  test('journal, positions and summary count them as if the request stated them, and say so', async () => {
    await put([lot()]);
    for (const name of ['journal', 'positions', 'summary']) {
      const stated = await read(name, {}, { opening_lots: JSON.stringify([lot()]) });
      const plain = await read(name, {});
      assert.notEqual(stated.text, plain.text, name);
      for (const headers of [alice, key]) {
        const { status, text, headers: of } = await read(name, headers);
        assert.equal(status, 200, text);
        const { saved_opening_lots, ...answer } = JSON.parse(text);
        assert.deepEqual([saved_opening_lots, answer], [1, stated.json()], name);
        assert.deepEqual([of.get('x-saved-opening-lots'), of.get('cache-control')], ['1', 'private, no-store']);
      }
      const csv = await read(name, alice, { format: 'csv' });
      assert.equal(csv.headers.get('x-saved-opening-lots'), '1', name);
      const posted = await server.ask(`/api/tax/v1/${name}`, posting({ address: light, format: 'json' }, alice));
      assert.equal(posted.json().saved_opening_lots, 1, name);
      for (const headers of [{}, await signedIn(server, 'bob'), await withKey(server, ['wasm:read'])])
        assert.equal((await read(name, headers)).text, plain.text, name);
    }
    assert.equal((await read('events', alice)).json().saved_opening_lots, undefined);
  });

  test('lots of the request stand in their place, and so does a list without any', async () => {
    await put([lot()]);
    for (const lots of [[], [lot({ cost_basis_usd: '1' })]]) {
      const query = { opening_lots: JSON.stringify(lots) };
      assert.equal((await read('positions', alice, query)).text, (await read('positions', {}, query)).text);
    }
  });

  test('of several wallets each has its own', async () => {
    await put([lot()]);
    await put([lot({ quantity: '5' }), lot({ quantity: '5', denom: 'ATOM' })].slice(0, 1), alice, short);
    const address = `${short},${light}`;
    const both = [lot({ address: light }), lot({ address: short, quantity: '5' })];
    const { saved_opening_lots, ...counted } = (await read('positions', alice, { address })).json();
    const stated = await read('positions', {}, { address, opening_lots: JSON.stringify(both) });
    assert.deepEqual([saved_opening_lots, counted], [2, stated.json()]);
    assert.equal(await countOf(alice, { address: silent }), undefined);
  });

  test('lots of an address that do not fit what it held do not count, none of them', async () => {
    const owner = { account: await ensureNamedAccount(server.store, 'alice', NOW), address: light };
    for (const lots of [[lot(), lot()], [lot(), { denom: 'uatom' }], [lot({ acquired_date: '2026-01-01' })]]) {
      await savedOpeningLots.replace(server.store, owner, lots as StatedLot[], NOW);
      assert.equal(await countOf(alice), 0, JSON.stringify(lots));
    }
  });

  test('faults are told by their place, and nothing is saved', async () => {
    const cases: [unknown, string[]][] = [
      [undefined, ['opening_lots']],
      [{}, ['opening_lots']],
      [['20 ATOM'], ['opening_lots/0']],
      [[lot(), {}], ['denom', 'quantity', 'acquired_date', 'cost_basis_usd'].map((name) => `opening_lots/1/${name}`)],
      [[lot({ quantity: '1.0000001', price: '1' })], ['opening_lots/0/price', 'opening_lots/0/quantity']],
      [[lot({ quantity: 20 })], ['opening_lots/0/quantity']],
      [
        [lot({ acquired_date: '2024-02-30', cost_basis_usd: '-1' })],
        ['acquired_date', 'cost_basis_usd'].map((name) => `opening_lots/0/${name}`),
      ],
      [[lot({ acquired_date: '2025-12-31' })], ['opening_lots/0/acquired_date']],
      [[lot(), lot({ quantity: '10.000001' })], ['opening_lots/1/quantity']],
      [[lot({ denom: 'uosmo' })], ['opening_lots/0/quantity']],
      [[lot({ address: short })], ['opening_lots/0/address']],
    ];
    await requireRefusals(put, cases);
    for (const address of ['', 'x', `${short},${light}`, `${short}&address=${light}`]) {
      const refused = await put([lot()], alice, address);
      assert.deepEqual([refused.status, refused.json().errors[0].path], [400, 'address'], address);
    }
    assert.deepEqual((await get(alice)).json().opening_lots, []);
  });

  test('an entry has at most 64 KiB, and an account entries about 200 addresses', async () => {
    const small = (n: number) => Array.from({ length: n }, () => lot({ quantity: '0.001' }));
    const refused = await put(small(1000));
    assert.deepEqual([refused.status, refused.json().errors[0].path], [422, 'opening_lots'], refused.text);
    assert.equal((await put(small(500))).status, 200);
    const account = await ensureNamedAccount(server.store, 'carol', NOW);
    const carol = await signedIn(server, 'carol');
    const save = (address: string) => savedOpeningLots.replace(server.store, { account, address }, small(1), NOW);
    for (let n = 0; n < 199; n++) await save(`${n}`);
    assert.equal((await put([lot()], carol)).status, 200);
    const more = await put(small(1), carol, short);
    assert.deepEqual([more.status, more.json().code], [409, 'conflict']);
    assert.equal((await put(small(1), carol)).status, 200, 'what is there may be replaced');
    assert.deepEqual((await put([], carol)).json().saved_at, null, 'one without content is none');
    assert.equal((await put(small(1), carol, short)).status, 200);
  });

  test('who has no account, other keys, and pages of other sites, change nothing', async () => {
    await put([lot()]);
    assert.equal((await put([], {})).json().code, 'unauthorized');
    assert.equal((await get({})).status, 401);
    assert.equal((await put([], await withKey(server, ['wasm:read']))).json().code, 'insufficient_scope');
    assert.equal((await put([], { ...alice, origin: 'https://other.example' })).json().code, 'forbidden');
    assert.deepEqual((await get(alice)).json().opening_lots, [lot()]);
  });
});

test('before anything is published lots are saved that can be read', async (t) => {
  const server = await startServer({ published: false });
  t.after(() => server.close());
  const headers = await signedIn(server);
  const put = (opening_lots: unknown) =>
    server.ask(`${PATH}?address=${light}`, { ...posting({ opening_lots }, headers), method: 'PUT' });
  assert.equal((await put([lot({ quantity: '1000000' })])).status, 200);
  assert.deepEqual((await put([{}])).json().errors.length, 4);
  await server.publish(1000);
  const answer = await server.ask(`/api/tax/v1/positions?address=${light}`, { headers });
  assert.equal(answer.json().saved_opening_lots, 0, 'more than it held');
});
