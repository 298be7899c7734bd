/** What is kept of rows is what would be made anew, and nothing that a caller said. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Decisions, noDecisions, parseTags } from '../../pipeline/ledger/decisions/decisions.js';
import { loadReference } from '../../pipeline/reference.js';
import { eventJson, eventRow } from '../../pipeline/reports/event-row.js';
import { KeptText, type Part, textOfParts } from '../../server/gzip-member.js';
import { keptJson, keptRow, rowParts } from '../../server/plain-rows.js';
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

const kept = (parts: readonly Part[]) => parts.filter((part) => part instanceof KeptText);

test('parts of a list are its text, and no kept one has a row that something is said about', () => {
  const anyRows = fc.subarray([...events.keys()]);
  fc.assert(
    fc.property(anyRows, fc.constantFrom('airdrop', 'gift', ''), (listed, name) => {
      const decisions = name ? tag(name) : noDecisions;
      const rows = listed.map((i) => keptRow(events[i]!, context, decisions));
      for (const asked of ['first', 'again']) {
        const parts = rowParts(rows);
        assert.equal(textOfParts(parts), rows.map(eventJson).join(','), asked);
        for (const { text } of kept(parts)) assert.ok(name === '' || !text.includes(tagged.tx_hash));
      }
    }),
  );
});

test('rows between those that something is said about are kept as one text, and found again', () => {
  const [before, behind] = [tag('gift'), tag('airdrop')].map((decisions) =>
    rowParts(events.map((event) => keptRow(event, context, decisions))),
  );
  assert.ok(kept(before!).length > 0);
  kept(before!).forEach((part, i) => {
    assert.equal(part, kept(behind!)[i]);
  });
});

test('a few rows alone are not worth keeping', () => {
  const rows = events.slice(0, 1).map((event) => keptRow(event, context, noDecisions));
  assert.deepEqual(rowParts(rows), rows.map(eventJson));
  assert.deepEqual(rowParts([]), []);
});
