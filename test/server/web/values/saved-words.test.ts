/** Saved decisions and lots in plain words. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decisionWords, lotWords, manyWords } from '../../../../server/web/values/saved-words.js';

test('a decision says what counts instead', () => {
  assert.equal(decisionWords({ mode: 'exclude' }), 'left out');
  assert.equal(decisionWords({ mode: 'keep' }), 'kept as it is');
  assert.equal(
    decisionWords({ mode: 'override', value_usd: '5.00', cost_basis_usd: '3.10', acquired_date: '2026-03-01' }),
    'corrected: it was worth $5.00, it cost $3.10, acquired on 1 Mar 2026',
  );
  assert.equal(
    decisionWords({ mode: 'override', token: 'OSMO', quantity: '7' }),
    'corrected: it is OSMO, it is 7 coins',
  );
});

test('keys for many receipts have words, ids of rows have none', () => {
  assert.equal(manyWords('*:suspected_spam'), 'Every incoming transfer that looks like spam');
  assert.equal(manyWords('*:cosmos1sender'), 'Every suspicious incoming transfer from cosmos1sender');
  assert.equal(manyWords('19-8-13-0-in'), undefined);
});

test('a lot names the coin by its symbol where the denom tells it', () => {
  const lot = { denom: 'uatom', quantity: '20', acquired_date: '2024-03-01', cost_basis_usd: '200.00' };
  assert.equal(lotWords(lot), '20 ATOM, acquired on 1 Mar 2024 for $200.00');
  assert.match(lotWords({ ...lot, denom: 'ibc/ABC' }), /^20 ibc\/ABC,/);
});
