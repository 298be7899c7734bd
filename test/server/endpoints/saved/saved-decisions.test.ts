import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import type { AssetDecision } from '../../../../schemas/types.generated.js';
import { ensureNamedAccount } from '../../../../server/people/accounts/accounts.js';
import { savedDecisions } from '../../../../server/people/saved-entries.js';
import { requireFaults, sharedServer, startServer, WALLETS } from '../../harness.js';
import { NOW, posting, signedIn, withKey } from '../../people/accounts/signed-in.js';
import { onBothStores } from '../../people/store/stores.js';
import { recordedEvents } from '../../published.js';
import { requireRefusals } from './refusals.js';

const PATH = '/api/tax/v1/saved-decisions';
const { flagged, short, silent } = WALLETS;
const RECEIPT = recordedEvents(flagged)[0]!;
const EXCLUDED = { [RECEIPT.id]: { mode: 'exclude' } };
/** The day after the receipt. */
const LATE = { mode: 'override', acquired_date: '2026-01-19' };
const TOO_FINE = { mode: 'override', token: 'ATOM', quantity: '1.0000001' };
const OVERRIDDEN = { [RECEIPT.id]: { mode: 'override', value_usd: '12.34' } };

type Headers = Record<string, string>;

onBothStores(PATH, (variables) => {
  const server = sharedServer(() => ({ environment: { HUBLEDGER_DATABASE_URL: variables().HUBLEDGER_DATABASE_URL } }));
  let alice: Headers;
  let key: Headers;
  before(async () => {
    [alice, key] = [await signedIn(server), await withKey(server, ['tax:read'])];
  });
  beforeEach(() => forget());

  const at = (address: string) => `${PATH}?address=${address}`;
  const put = (decisions: unknown, headers = alice, address = flagged) =>
    server.ask(at(address), { ...posting({ decisions }, headers), method: 'PUT' });
  const get = (headers: Headers, address = flagged) => server.ask(at(address), { headers });
  const forget = (headers = alice) => server.ask(at(flagged), { method: 'DELETE', headers });
  const read = (name: string, headers: Headers, query: Headers = {}) =>
    server.ask(`/api/tax/v1/${name}?${new URLSearchParams({ address: flagged, format: 'json', ...query })}`, {
      headers,
    });
  /** The receipt's members in the rows. */
  const receiptIn = async (headers: Headers, query: Headers = {}) => {
    const answer = await read('events', headers, query);
    assert.equal(answer.status, 200, answer.text);
    const row = answer.json().events.find(({ id }: { id: string }) => id === RECEIPT.id);
    return { valueUsd: row.valueUsd, taxable: row.taxable };
  };

  test('one set an address: put, shown, replaced as a whole, forgotten', async () => {
    const empty = (await get(alice)).json();
    assert.deepEqual(empty, { address: flagged, decisions: {}, saved_at: null, etag: empty.etag });
    const decisions = { '*:identity_mismatch': { mode: 'exclude' }, ...EXCLUDED };
    const saved = await put(decisions);
    assert.equal(saved.status, 200, saved.text);
    const { etag, ...shown } = saved.json();
    assert.deepEqual(shown, { address: flagged, decisions, saved_at: NOW.toISOString() });
    assert.equal((await get(alice)).headers.get('etag'), etag);
    assert.equal((await get(key, flagged.toUpperCase())).text, saved.text, 'by key, the address in capitals');
    assert.deepEqual((await put(OVERRIDDEN, key)).json().decisions, OVERRIDDEN);
    assert.deepEqual((await get(alice)).json().decisions, OVERRIDDEN);
    assert.equal((await get(alice)).headers.get('cache-control'), 'private, no-store');
    assert.deepEqual((await get(alice, short)).json().decisions, {});
    for (const _ of ['once', 'again']) assert.equal((await forget()).status, 204);
    assert.deepEqual((await get(alice)).json(), empty);
  });

  test('POST keeps the address out of the URL: saved, read, replaced only as it was read, deleted', async () => {
    const post = (path: string, body: object, headers = alice) => server.ask(PATH + path, posting(body, headers));
    const saved = await post('', { address: flagged, decisions: EXCLUDED });
    assert.deepEqual([saved.status, saved.text], [200, (await get(alice)).text]);
    assert.equal((await post('/read', { address: flagged })).text, saved.text);
    await put(OVERRIDDEN);
    const late = { ...alice, 'If-Match': saved.json().etag };
    assert.equal((await post('', { address: flagged, decisions: {} }, late)).status, 412);
    assert.equal((await post('', { address: flagged, decisions: {} })).status, 200);
    assert.equal((await get(alice)).json().saved_at, null);
    for (const body of [{ decisions: {} }, { address: `${flagged}x`, decisions: {} }]) {
      const refused = await post('', body);
      assert.deepEqual([refused.status, refused.json().errors[0].path], [422, 'address']);
    }
  });

  test('events and journal count what the caller’s account has saved; positions and everybody else do not', async () => {
    const bob = await signedIn(server, 'bob');
    assert.equal((await read('events', alice)).json().pending, 1);
    await put(EXCLUDED);
    for (const name of ['events', 'journal']) {
      const given = await read(name, {}, { asset_decisions: JSON.stringify(EXCLUDED) });
      for (const headers of [alice, key]) {
        const answer = await read(name, headers);
        assert.equal(answer.text, given.text, name);
        assert.equal(answer.headers.get('cache-control'), 'private, no-store');
        const body = { address: [short, flagged], format: 'json' };
        assert.equal((await server.ask(`/api/tax/v1/${name}`, posting(body, headers))).status, 200);
      }
      for (const headers of [{}, bob]) {
        const refused = await read(name, headers);
        assert.deepEqual([refused.status, refused.json().pending], [409, 1]);
      }
    }
    assert.equal((await read('positions', alice)).status, 409);
    await forget();
    assert.equal((await read('events', alice)).status, 409);
  });

  test('an answer that rests on saved decisions has an ETag, which another decision changes and another account does not know', async () => {
    const kept: string[] = [];
    const asked = async (headers: Headers) => {
      const { status, headers: answered } = await read('events', { ...headers, 'if-none-match': kept.join(', ') });
      if (status === 200) kept.push(answered.get('etag')!);
      assert.equal(answered.get('cache-control'), status === 409 ? 'no-store' : 'private, no-store');
      return status;
    };
    const bob = await signedIn(server, 'bob');
    await put(EXCLUDED);
    assert.deepEqual(
      [await asked(alice), await asked(alice), await asked(key), await asked(bob)],
      [200, 304, 304, 409],
    );
    await put(OVERRIDDEN);
    assert.deepEqual([await asked(alice), await asked(alice)], [200, 304]);
    await forget();
    assert.deepEqual([await asked(alice), kept.length], [409, 2]);
  });

  test('asset-review shows what the caller’s account has saved, privately; nobody else sees it', async () => {
    const review = async (headers: Headers, query: Headers = {}) => {
      const answer = await server.ask(
        `/api/tax/v1/asset-review?${new URLSearchParams({ address: flagged, ...query })}`,
        { headers },
      );
      assert.equal(answer.status, 200, answer.text);
      const { pending, records } = answer.json();
      return [pending, records[0].decision, answer.headers.get('cache-control')];
    };
    await put(OVERRIDDEN);
    for (const headers of [alice, key]) {
      assert.deepEqual(await review(headers), [0, 'override', 'private, no-store']);
      const sent = { asset_decisions: JSON.stringify(EXCLUDED) };
      assert.deepEqual(await review(headers, sent), [0, 'exclude', 'private, no-store']);
    }
    assert.deepEqual(await review(await signedIn(server, 'bob')), [1, 'none', 'private, no-store']);
    const [pending, decision, caching] = await review({});
    assert.deepEqual([pending, decision], [1, 'none']);
    assert.match(caching, /public/);
    await forget();
    assert.deepEqual(await review(alice), [1, 'none', 'private, no-store']);
  });

  test('a decision of the request goes before the saved one, and is not saved', async () => {
    await put(OVERRIDDEN);
    const overridden = { valueUsd: 12.34, taxable: true };
    assert.deepEqual(await receiptIn(alice), overridden);
    const excluded = { asset_decisions: JSON.stringify(EXCLUDED) };
    assert.deepEqual(await receiptIn(alice, excluded), { valueUsd: 0, taxable: false });
    assert.deepEqual(await receiptIn(alice, { asset_decisions: '{}' }), overridden);
    assert.deepEqual((await get(alice)).json().decisions, OVERRIDDEN);
  });

  test('a decision counts for the wallet under whose address it is saved', async () => {
    await put(EXCLUDED, alice, silent);
    assert.equal((await read('events', alice)).status, 409);
    assert.equal((await read('events', alice, { address: `${silent},${flagged}` })).status, 409);
  });

  test('what names nothing that the address received is left out; rows of it and keys for many are kept', async () => {
    const own = recordedEvents(flagged).find(({ category }) => category === 'staking_reward')!.id;
    const others = recordedEvents(short)[0]!.id;
    const known = {
      [RECEIPT.id]: { mode: 'keep' },
      [own]: { mode: 'override', cost_basis_usd: '3' },
      '*': { mode: 'exclude' },
    };
    const saved = await put({
      ...known,
      [others]: { mode: 'exclude' },
      __proto__: { mode: 'keep' },
      'any id': { mode: 'keep' },
    });
    assert.deepEqual([saved.status, saved.json().decisions], [200, known], saved.text);
    const many = Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`1-${n}-in`, { mode: 'exclude' }]));
    assert.deepEqual((await put({ ...many, ...EXCLUDED })).json().decisions, EXCLUDED);
  });

  test('decisions about a wallet with many rows are fitted and refused alike', async () => {
    const { id } = recordedEvents(WALLETS.big).find(({ received_amount }) => received_amount !== null)!;
    const valued = { [id]: { mode: 'override', value_usd: '1.00' } };
    const saved = await put({ ...valued, unknown: { mode: 'exclude' } }, alice, WALLETS.big);
    assert.deepEqual(saved.json().decisions, valued);
    const wrong = { [id]: { mode: 'override', token: 'ATOM' } };
    requireFaults(await put(wrong, alice, WALLETS.big), 422, [`decisions/${id}/token`]);
    assert.deepEqual((await get(alice, WALLETS.big)).json().decisions, valued);
  });

  test('one decision for many receipts, and one that keeps a receipt', async () => {
    const kept = await receiptIn(alice, { asset_decisions: JSON.stringify({ [RECEIPT.id]: { mode: 'keep' } }) });
    const nothing = { valueUsd: 0, taxable: false };
    const sender = RECEIPT.counterparty!;
    for (const key of ['*', '*:suspected_spam', `*:${sender}`]) {
      await put({ [key]: { mode: 'exclude' } });
      assert.deepEqual(await receiptIn(alice), nothing, key);
      const given = { asset_decisions: JSON.stringify({ [RECEIPT.id]: { mode: 'keep' } }) };
      assert.deepEqual(await receiptIn(alice, given), kept, 'a decision of the request about it');
      await put({ [key]: { mode: 'exclude' }, [RECEIPT.id]: { mode: 'keep' } });
      assert.deepEqual(await receiptIn(alice), kept, 'its own entry');
    }
    await put({ '*:identity_mismatch': { mode: 'exclude' } });
    assert.equal((await read('events', alice)).status, 409);
    await put({ '*:suspected_spam': { mode: 'exclude' } });
    assert.equal((await read('positions', alice)).status, 409);
    const review = await server.ask(`/api/tax/v1/asset-review?address=${flagged}`, { headers: alice });
    assert.deepEqual([review.json().pending, review.json().records[0].decision], [0, 'exclude']);
  });

  test('an override of a row that is no flagged receipt counts on positions, too', async () => {
    const reward = recordedEvents(flagged).find(({ category }) => category === 'staking_reward')!.id;
    const decisions = { [reward]: { mode: 'override', cost_basis_usd: '3' } };
    await put({ ...EXCLUDED, ...decisions });
    const excluded = { asset_decisions: JSON.stringify(EXCLUDED) };
    const sent = { asset_decisions: JSON.stringify({ ...EXCLUDED, ...decisions }) };
    for (const name of ['journal', 'positions', 'summary']) {
      const [counted, stated, without] = [
        await read(name, alice, { ...excluded, end: '2026-05-01' }),
        await read(name, {}, { ...sent, end: '2026-05-01' }),
        await read(name, {}, { ...excluded, end: '2026-05-01' }),
      ];
      assert.equal(counted.text, stated.text, name);
      assert.notEqual(counted.text, without.text, name);
    }
  });

  test('keys without the scope tax:read reach nothing that is saved', async () => {
    await put(EXCLUDED);
    const other = await withKey(server, ['upgrades:webhooks']);
    assert.deepEqual([(await get(other)).status, (await get(other)).json().code], [403, 'insufficient_scope']);
    assert.equal((await read('events', other)).status, 409);
  });

  test('what is saved but cannot be read any more, or fits its receipt no more, decides nothing', async () => {
    const account = await ensureNamedAccount(server.store, 'alice', NOW);
    for (const decision of [{ mode: 'sell' }, LATE, TOO_FINE]) {
      const kept = { [RECEIPT.id]: decision as AssetDecision };
      await savedDecisions.replace(server.store, { account, address: flagged }, kept, NOW);
      assert.equal((await read('events', alice)).json().pending, 1, JSON.stringify(decision));
    }
  });

  test('faults are told by their place, and nothing is saved', async () => {
    const cases: [unknown, string[]][] = [
      [undefined, ['decisions']],
      [[], ['decisions']],
      [{ r: 1 }, ['decisions/r']],
      [{ 'a/b': { mode: 'sell' }, r: { mode: 'override' } }, ['decisions/a~1b/mode', 'decisions/r']],
      [{ r: { mode: 'override', value_usd: '-1', token: 7 } }, ['decisions/r/value_usd', 'decisions/r/token']],
      [{ [RECEIPT.id]: LATE }, [`decisions/${RECEIPT.id}/acquired_date`]],
      [{ [RECEIPT.id]: TOO_FINE }, [`decisions/${RECEIPT.id}/quantity`]],
      [{ '*:': { mode: 'exclude' }, '*': { mode: 'keep' } }, ['decisions/*:', 'decisions/*']],
    ];
    await requireRefusals(put, cases);
    for (const address of ['', 'x', `${short},${flagged}`, `${short}&address=${flagged}`]) {
      const refused = await put(EXCLUDED, alice, address);
      assert.deepEqual([refused.status, refused.json().errors[0].path], [400, 'address'], address);
    }
    assert.equal((await server.ask(PATH, { headers: alice })).status, 400);
    assert.deepEqual((await get(alice)).json().decisions, {});
  });

  test('who has no account, and pages of other sites, change nothing', async () => {
    await put(EXCLUDED);
    assert.equal((await put({}, {})).json().code, 'unauthorized');
    assert.equal((await get({})).status, 401);
    const elsewhere = { ...alice, origin: 'https://other.example' };
    assert.equal((await put({}, elsewhere)).json().code, 'forbidden');
    assert.equal((await forget(elsewhere)).status, 403);
    assert.deepEqual((await get(alice)).json().decisions, EXCLUDED);
  });
});

test('before anything is published decisions are saved, too; one that then fits no receipt is asked for again', async (t) => {
  const server = await startServer({ published: false });
  t.after(() => server.close());
  const headers = await signedIn(server);
  const saved = { [RECEIPT.id]: TOO_FINE };
  const put = () =>
    server.ask(`${PATH}?address=${flagged}`, { ...posting({ decisions: saved }, headers), method: 'PUT' });
  assert.equal((await put()).status, 200);
  const odd = JSON.parse(
    '{"\\u0000":{"mode":"exclude"},"__proto__":{"mode":"exclude"},"\\ud83d\\ude00 ✓":{"mode":"exclude"}}',
  );
  const oddly = await server.ask(`${PATH}?address=${silent}`, {
    ...posting({ decisions: odd }, headers),
    method: 'PUT',
  });
  assert.equal(JSON.stringify(oddly.json().decisions), JSON.stringify(odd), 'ids of any characters');
  await server.publish(1000);
  for (const name of ['events', 'journal']) {
    const read = (query: Headers = {}) =>
      server.ask(`/api/tax/v1/${name}?${new URLSearchParams({ address: flagged, ...query })}`, { headers });
    const asked = await read();
    const { code, pending, errors } = asked.json();
    assert.deepEqual([asked.status, code, pending, errors], [409, 'asset_decisions_required', 1, undefined], name);
    assert.equal((await read({ asset_decisions: JSON.stringify(EXCLUDED) })).status, 200, name);
    const sent = await read({ asset_decisions: JSON.stringify(saved) });
    assert.deepEqual([sent.status, sent.json().errors.length], [400, 1], 'who sends it is told what is wrong');
    const posted = await server.ask(`/api/tax/v1/${name}`, posting({ address: flagged }, headers));
    assert.deepEqual([posted.status, posted.json().pending], [409, 1], name);
  }
  assert.equal((await put()).status, 422, 'now it is known');
  const kept = await server.ask(`${PATH}?address=${flagged}`, { headers });
  assert.deepEqual(kept.json().decisions, saved);
});
