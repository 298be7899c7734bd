import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { BlockError } from '../../pipeline/chain/block-error.js';
import { checkRecord } from '../../pipeline/chain/block-record.js';
import { CHAIN_ID, sampleLines } from './sample.js';

const HEIGHT = 14;
const record = sampleLines[HEIGHT]!;
const HASH = 'EFFCD5809CA1834DE9283AB1DEDDBF513B3D1EB4F3E7622CB9CDA88A77B34B4E';
const PREVIOUS = 'CC41F0E33A3AD591001CF8364440DB9904A1349D1D076002BAD531E165781137';
const expected = { height: HEIGHT, chainId: CHAIN_ID, previousHash: PREVIOUS };

test('a record that fits becomes a row with its own text, less the signatures of the block before', () => {
  const { checksum, ...row } = checkRecord(record, expected).row;
  const [begin, end] = [record.indexOf(',"last_commit":'), record.indexOf('}},"block_results"')];
  assert.ok(begin > 0 && end > begin);
  assert.deepEqual(row, {
    height: HEIGHT,
    time: '2026-01-02 10:12:46',
    hash: HASH,
    record: record.slice(0, begin) + record.slice(end),
  });
  assert.equal(checksum, crc32(`${row.time}${row.hash}${row.record}`));
  assert.equal(checkRecord(record, { ...expected, previousHash: undefined }).row.hash, HASH);
});

/** Results of which only what is changed matters. */
interface Results {
  finalize_block_events: object[];
}

/** The record with another first event of the block. */
function garbled(first: (results: Results) => object): string {
  const changed = JSON.parse(record) as { block_results: Results };
  changed.block_results.finalize_block_events[0] = first(changed.block_results);
  return JSON.stringify(changed);
}

const misfits: readonly [what: string, text: string, message: string][] = [
  ['half a record', record.slice(0, 900), `block 14 (${HASH}): the record is not JSON: `],
  ['no JSON at all', '<html>\n<body>', 'block 14: the record is not JSON: '],
  ['null', 'null', 'block 14: there is no block in the record'],
  ['a hole', '{"height":14,"block":{"block":null}}', 'block 14: there is no block in the record'],
  [
    'another height',
    record.replaceAll('"height":"14"', '"height":"15"'),
    `block 14 (${HASH}): the header is of height 15`,
  ],
  [
    'another chain',
    record.replace(CHAIN_ID, 'other-1'),
    `block 14 (${HASH}): it belongs to other-1, not to localhub-1`,
  ],
  [
    'another parent',
    record.replaceAll(PREVIOUS, HASH),
    `block 14 (${HASH}): it follows block ${HASH}, but block 13 is ${PREVIOUS}`,
  ],
  ['no hash', record.replace(HASH, ''), 'block 14: the block has no hash'],
  [
    'a broken time',
    record.replace('2026-01-02T', '2026-01-02 '),
    `block 14 (${HASH}): its time is "2026-01-02 10:12:46.66859Z"`,
  ],
  [
    'a time of no calendar',
    record.replace('2026-01-02T', '2026-02-30T'),
    `block 14 (${HASH}): its time is "2026-02-30T10:12:46.66859Z"`,
  ],
  [
    'results of another height',
    record.replace('"block_results":{"height":"14"', '"block_results":{"height":"13"'),
    `block 14 (${HASH}): the results are of height 13`,
  ],
  [
    'no results',
    record.replace('"block_results"', '"results"'),
    `block 14 (${HASH}): the results are of height undefined`,
  ],
  [
    'an older node',
    record.replace('"finalize_block_events"', '"begin_block_events"'),
    `block 14 (${HASH}): the results have no finalize_block_events (CometBFT 0.38)`,
  ],
  [
    'a lost transaction',
    record.replace('"txs":[]', '"txs":["AA=="]'),
    `block 14 (${HASH}): 1 transactions, but 0 results`,
  ],
  [
    'an event without a type',
    garbled(({ finalize_block_events: [event] }) => ({ ...event, type: null })),
    `block 14 (${HASH}): finalize_block_events/0 is not of its form`,
  ],
  [
    'an attribute that is a number',
    garbled(({ finalize_block_events: [event] }) => ({ ...event, attributes: [{ key: 'amount', value: 5 }] })),
    `block 14 (${HASH}): finalize_block_events/0 is not of its form`,
  ],
  [
    'an amount that is no coins',
    garbled(() => ({ type: 'coin_received', attributes: [{ key: 'amount', value: '5uatom,abc' }] })),
    `block 14 (${HASH}): finalize_block_events/0: the amount of coin_received is "5uatom,abc"`,
  ],
  [
    'events that are no list',
    record.replace('"finalize_block_events":[', '"finalize_block_events":{},"events":['),
    `block 14 (${HASH}): finalize_block_events is no list`,
  ],
  [
    'a change of the validator set without a key',
    record.replace('"validator_updates":null', '"validator_updates":[{"power":"1"}]'),
    `block 14 (${HASH}): validator_updates/0 is not of its form`,
  ],
  [
    'evidence of nothing',
    record.replace('"evidence":[]', '"evidence":[{"type":"tendermint/LightClientAttackEvidence"}]'),
    `block 14 (${HASH}): evidence/0 is not of its form`,
  ],
];

test('lists and texts that are null are empty ones', () => {
  const empty = garbled(() => ({ type: 'coin_received', attributes: [{ key: 'amount', value: null }] }));
  assert.equal(checkRecord(empty, expected).row.hash, HASH);
  assert.equal(
    checkRecord(
      garbled(() => ({ type: 'coin_received', attributes: null })),
      expected,
    ).row.hash,
    HASH,
  );
});

for (const [what, text, message] of misfits) {
  test(`refused in one line: ${what}`, () => {
    assert.throws(
      () => checkRecord(text, expected),
      (error: Error) =>
        error instanceof BlockError && error.message.startsWith(message) && !error.message.includes('\n'),
    );
  });
}
