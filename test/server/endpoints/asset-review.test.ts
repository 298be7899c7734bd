import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assetReview } from '../../../server/endpoints/asset-review.js';
import { requireFaults, sharedServer, startServer, WALLETS } from '../harness.js';
import { flaggedReceipt, recordedEvents } from '../published.js';

const PATH = '/api/tax/v1/asset-review';
const { light, short, flagged, silent } = WALLETS;
const RECEIPT = recordedEvents(flagged)[0]!;
const EXCLUDED = JSON.stringify({ [RECEIPT.id]: { mode: 'exclude' } });

const server = sharedServer();

const get = (query: Record<string, string>, path = PATH) => server.ask(`${path}?${new URLSearchParams(query)}`);

test('a flagged receipt with what speaks for it', async () => {
  const answer = await get({ address: flagged });
  assert.deepEqual(answer.json(), {
    address: flagged,
    count: 1,
    pending: 1,
    records: [
      {
        record_id: RECEIPT.id,
        address: flagged,
        date: '2026-01-18 05:42:04',
        tx_hash: RECEIPT.tx_hash,
        height: RECEIPT.height,
        denom: 'uatom',
        symbol: 'ATOM',
        claimed_symbol: '',
        quantity: '50.000001',
        sender: RECEIPT.counterparty,
        memo: RECEIPT.memo,
        reason: 'suspected_spam',
        evidence: ['The receiver did not sign the transaction.'],
        decision: 'none',
      },
    ],
  });
  assert.match(answer.headers.get('etag') ?? '', /^W\//);
});

test('wallets without flagged receipts have none, and several are listed one after the other', async () => {
  assert.deepEqual((await get({ address: short })).json(), { address: short, count: 0, pending: 0, records: [] });
  const { address, count } = (await get({ address: `${silent},${flagged},${light}` })).json();
  assert.deepEqual([address, count], [`${silent},${flagged},${light}`, 1]);
});

test('a range includes both ends', async () => {
  const count = async (range: Record<string, string>) => (await get({ address: flagged, ...range })).json().count;
  assert.equal(await count({ start: '2026-01-18', end: '2026-01-18' }), 1);
  assert.equal(await count({ start: '2026-01-18T05:42:05Z' }), 0);
  assert.equal(await count({ end: '2026-01-17' }), 0);
});

test('a decision of the request is shown and counted, privately; one that does not fit is refused', async () => {
  const decided = async (decision: object) => get({ address: flagged, asset_decisions: JSON.stringify(decision) });
  for (const [mode, more] of [
    ['exclude', {}],
    ['override', { value_usd: '1.00' }],
  ] as const) {
    const answer = await decided({ [RECEIPT.id]: { mode, ...more }, 'no-such-record': { mode: 'exclude' } });
    const { pending, records } = answer.json();
    assert.deepEqual([pending, records[0].decision], [0, mode]);
    assert.equal(answer.headers.get('cache-control'), 'private, no-store');
  }
  const late = await decided({ [RECEIPT.id]: { mode: 'override', acquired_date: '2026-01-19' } });
  assert.equal(late.json().errors[0].path, `asset_decisions/${RECEIPT.id}/acquired_date`);
  assert.equal((await get({ address: flagged, start: '2026-02-30' })).status, 400);
});

test('until it is decided what the description names is refused, and no tag turns that into a 304', async () => {
  const [, names] = /asset_decisions, (.*) respond with 409/.exec(assetReview.description)!;
  for (const name of ['events', 'journal', 'positions', 'summary']) {
    assert.match(names!, new RegExp(name));
    const path = `/api/tax/v1/${name}`;
    for (const query of [{ address: flagged }, { address: `${short},${flagged}`, format: 'csv' }]) {
      for (const init of [{}, { method: 'HEAD' }, { headers: { 'if-none-match': '*' } }]) {
        const refused = await server.ask(`${path}?${new URLSearchParams(query)}`, init);
        assert.equal(refused.status, 409, `${name} ${JSON.stringify(init)}`);
        if ('method' in init) continue;
        const { code, title, pending, detail } = refused.json();
        assert.deepEqual([code, title, pending], ['asset_decisions_required', 'Asset decisions required', 1]);
        assert.match(detail, /^1 flagged receipt needs a decision: .*\/api\/tax\/v1\/asset-review/);
      }
    }
    const body = { address: flagged, assetDecisions: {} };
    const post = (one: object) =>
      server.ask(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(one),
      });
    assert.equal((await post(body)).status, 409);
    assert.equal((await post({ ...body, assetDecisions: JSON.parse(EXCLUDED) })).status, 200);
    const decided = await get({ address: flagged, asset_decisions: EXCLUDED }, path);
    assert.equal(decided.status, 200);
    assert.equal(decided.headers.get('cache-control'), 'private, no-store');
    assert.equal(
      (await get({ address: flagged, asset_decisions: '{"another":{"mode":"exclude"}}' }, path)).status,
      409,
    );
  }
});

test('a decision that does not fit is a 400 while other receipts wait for one', async (context) => {
  const receipts = recordedEvents(flagged).filter((event) => event.received_amount !== null);
  const [first, second] = [receipts[0]!, { ...receipts[0]!, id: 'second' }];
  const content = {
    wallets: { [flagged]: [first, second] },
    flagged: [first, second].map((event) => flaggedReceipt(event)),
    prices: {},
  };
  const pair = await startServer({ content });
  context.after(() => pair.close());
  const late = { [second.id]: { mode: 'override', acquired_date: '2026-01-19' } };
  for (const name of ['events', 'journal', 'positions']) {
    const path = `/api/tax/v1/${name}`;
    const query = new URLSearchParams({ address: flagged, asset_decisions: JSON.stringify(late) });
    const refused = await pair.ask(`${path}?${query}`);
    requireFaults(refused, 400, ['asset_decisions/second/acquired_date'], name);
    const body = JSON.stringify({ address: flagged, assetDecisions: late });
    const headers = { 'content-type': 'application/json' };
    const posted = await pair.ask(path, { method: 'POST', headers, body });
    assert.deepEqual([posted.status, posted.json().code], [422, 'validation_failed'], name);
  }
});

test('the period of the rule: events from start to end, journal up to end, positions up to the date', async () => {
  const status = async (name: string, query: Record<string, string>) =>
    (await get({ address: flagged, ...query }, `/api/tax/v1/${name}`)).status;
  assert.equal(await status('events', { end: '2026-01-17' }), 200);
  assert.equal(await status('events', { start: '2026-01-19' }), 200);
  assert.equal(await status('events', { start: '2026-01-19', type: 'fees' }), 200);
  assert.equal(await status('events', { end: '2026-01-18', type: 'fees' }), 409);
  assert.equal(await status('journal', { end: '2026-01-17' }), 200);
  assert.equal(await status('journal', { start: '2026-01-19' }), 409, 'its lots are in the lines that follow');
  assert.equal(await status('positions', { date: '2026-01-17' }), 200);
  assert.equal(await status('positions', { date: '2026-01-18' }), 409);
});

test('a decision about what is not flagged is no decision', async () => {
  const path = '/api/tax/v1/events';
  const [row] = recordedEvents(short);
  const plain = await get({ address: short }, path);
  const decided = await get({ address: short, asset_decisions: `{"${row!.id}":{"mode":"exclude"}}` }, path);
  assert.equal(decided.text, plain.text);
});
