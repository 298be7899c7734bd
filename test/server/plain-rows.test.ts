/** What is kept of rows is what would be made anew, and nothing that a caller said. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Decisions, noDecisions, parseTags } from '../../pipeline/ledger/decisions.js';
import { eventJson, eventRow } from '../../pipeline/ledger/event-row.js';
import { loadReference } from '../../pipeline/reference.js';
import { keptJson, keptRow } from '../../server/plain-rows.js';
import { recordedEvents, WALLETS } from './published.js';

const { rules } = loadReference();
const context = { rules, monikerOf: (operator: string) => `name of ${operator}` };
const events = recordedEvents(WALLETS.busy);
const tagged = events.find(({ category }) => category === 'transfer_in')!;

function tag(name: string): Decisions {
  const read = parseTags({ [tagged.tx_hash]: name }, rules);
  assert.ok('value' in read);
  return { ...noDecisions, tags: read.value };
}

test('a row is written as it would be anew, whoever asked before', () => {
  for (const decisions of [tag('airdrop'), noDecisions, tag('gift'), noDecisions, tag('airdrop')]) {
    for (const event of events) {
      const anew = eventRow(event, context, decisions);
      const row = keptRow(event, context, decisions);
      assert.deepEqual(row, anew);
      assert.equal(keptJson(row), eventJson(anew));
    }
  }
});

test('only rows that nothing is said about are the same object each time', () => {
  const other = events.find(({ tx_hash }) => tx_hash !== tagged.tx_hash)!;
  const decisions = tag('gift');
  assert.equal(keptRow(other, context, decisions), keptRow(other, context, noDecisions));
  assert.notEqual(keptRow(tagged, context, decisions), keptRow(tagged, context, decisions));
});
