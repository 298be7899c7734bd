import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { bech32 } from '@scure/base';
import { disclosureOf } from '../../../server/people/submissions/disclosures.js';
import { storeDesk } from '../../../server/people/submissions/review-desk.js';
import { requireFaults, sharedServer } from '../harness.js';
import { NOW, posting, signedIn, withKey } from '../people/accounts/signed-in.js';
import { onBothStores } from '../people/store/stores.js';

const path = '/api/tax/v1/wasm/submissions';
const addressOf = (prefix: string, bytes: number) =>
  bech32.encode(prefix, bech32.toWords(new Uint8Array(bytes).fill(7)));
const operator = addressOf('cosmosvaloper', 20);
const correction = {
  kind: 'validator_jurisdiction',
  contract_address: operator,
  note: 'We are in Switzerland: https://validator.example/imprint',
};
const label = {
  kind: 'contract_label',
  contract_address: addressOf('cosmos', 32),
  note: 'https://dex.example says it is a pool',
};

onBothStores('/api/tax/v1/wasm/submissions', (variables) => {
  const server = sharedServer(() => ({ environment: { HUBLEDGER_DATABASE_URL: variables().HUBLEDGER_DATABASE_URL } }));
  let alice: Record<string, string>;
  before(async () => {
    alice = await withKey(server, ['snapshots:read']);
  });
  const desk = () => storeDesk(server.store, { now: () => NOW, tiers: new Map() });
  const post = (body: object, headers = alice) => server.ask(path, posting(body, headers));

  test('a correction is received, and its author sees what became of it', async () => {
    const sent = await post(correction);
    assert.equal(sent.status, 201, sent.text);
    const { id, ...rest } = sent.json();
    assert.deepEqual(rest, { ...correction, status: 'received', submitted_at: NOW.toISOString(), reviewed_at: null });
    assert.equal((await post(label)).status, 201);
    assert.deepEqual((await desk().queue()).length, 2);
    assert.equal((await desk().settle(id, 'accepted', null))?.status, 'accepted');
    assert.equal(await desk().settle(id, 'rejected', null), null);
    assert.deepEqual(
      (await desk().queue()).map(({ kind }) => kind),
      ['contract_label'],
    );
    const seen = await server.ask(`${path}/${id}`, { headers: await signedIn(server) });
    assert.deepEqual([seen.json().status, seen.json().reviewed_at], ['accepted', NOW.toISOString()]);
    for (const [headers, status] of [
      [await signedIn(server, 'bob'), 404],
      [{}, 401],
    ] as const) {
      assert.equal((await server.ask(`${path}/${id}`, { headers })).status, status);
    }
    for (const id of ['unknown', '%00']) {
      assert.equal((await server.ask(`${path}/${id}`, { headers: alice })).json().code, 'not_found');
    }
  });

  test('its author lists and withdraws what was proposed; what was accepted stays in the registry', async () => {
    const author = await signedIn(server, 'author');
    const list = async (headers = author) => (await server.ask(path, { headers })).json().submissions;
    const remove = (id: string, headers = author) => server.ask(`${path}/${id}`, { method: 'DELETE', headers });
    assert.deepEqual(await list(), []);
    const [one, other] = [(await post(correction, author)).json(), (await post(label, author)).json()];
    const listed: { id: string }[] = await list();
    assert.deepEqual(listed.map(({ id }) => id).sort(), [one.id, other.id].sort());
    assert.deepEqual(
      listed.find(({ id }) => id === one.id),
      one,
    );
    const disclosures = async () => (await server.store.query('submissions/disclosures')).length;
    const before = await disclosures();
    const disclosure = disclosureOf(one, {}, NOW);
    assert.ok('source' in disclosure);
    await desk().settle(one.id, 'accepted', disclosure);
    for (const headers of [await signedIn(server, 'bob'), alice])
      assert.equal((await remove(one.id, headers)).status, 404);
    const { origin: _, ...cookie } = author;
    assert.equal((await remove(one.id, cookie as typeof author)).json().code, 'forbidden');
    for (const { id } of [one, other]) assert.equal((await remove(id)).status, 204);
    assert.equal((await remove(one.id)).json().code, 'not_found');
    assert.deepEqual(await list(), []);
    assert.equal(
      (await storeDesk(server.store, { now: () => NOW, tiers: new Map() }).queue()).some(({ id }) => id === other.id),
      false,
    );
    assert.equal(await disclosures(), before + 1);
  });

  test('an Idempotency-Key counts', async () => {
    const headers = { ...alice, 'idempotency-key': 'once' };
    const [first, again] = [await post(correction, headers), await post(correction, headers)];
    assert.equal(again.json().id, first.json().id);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
  });

  test('what could not be reviewed is refused, member by member', async () => {
    const cases: [object, string[]][] = [
      [{}, ['kind', 'contract_address', 'note']],
      [{ ...correction, kind: 'other' }, ['kind']],
      [{ ...correction, contract_address: `${operator.slice(0, -1)}q` }, ['contract_address']],
      [{ ...correction, contract_address: addressOf('cosmos', 20) }, ['contract_address']],
      [{ ...correction, note: 'We are in Switzerland: http://validator.example' }, ['note']],
      [{ ...correction, note: 'See https://validator.example/CH' }, ['note']],
      [{ ...correction, note: 'nothing' }, ['note', 'note']],
      [{ ...label, contract_address: addressOf('cosmos', 20) }, ['contract_address']],
    ];
    for (const [body, paths] of cases) {
      requireFaults(await post(body), 422, paths, body);
    }
    const { errors } = (await post({ ...label, contract_address: addressOf('cosmos', 20) })).json();
    assert.match(errors[0].message, /of 32 bytes that begins with cosmos1,/, 'an account begins so, too');
    assert.equal((await post(correction, {})).json().code, 'unauthorized');
  });
});
