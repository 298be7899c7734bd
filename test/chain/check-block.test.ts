import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { crc32 } from 'node:zlib';
import { projectRoot } from '../../pipeline/base/project.js';
import type { ChainEventRecord, FullBlock } from '../../pipeline/chain/block.js';
import { BlockError } from '../../pipeline/chain/block-error.js';
import { dataHash, evidenceHash, headerHash, resultsHash } from '../../pipeline/chain/block-hashes.js';
import type { BlockRecord, RecordedEvent } from '../../pipeline/chain/block-record.js';
import { checkBlock, linkFault, resultsFault } from '../../pipeline/chain/check-block.js';
import { classifyBlock } from '../../pipeline/classify/classify-blocks.js';
import { deserializeState } from '../../pipeline/holdings/checkpoint.js';
import { foldBlock } from '../../pipeline/holdings/fold-blocks.js';
import { HoldingsError } from '../../pipeline/holdings/holdings-error.js';
import { sha256 } from '../../pipeline/holdings/start/load-starting-state.js';
import { chain, event } from '../classify/events.js';
import { linesOf, openGenesis, readSample } from '../holdings/recording.js';
import { CHAIN_ID, sampleLines } from './sample.js';
import { sealed } from './seal.js';

const HEIGHT = 14;
const record = sampleLines[HEIGHT]!;
const HASH = 'EFFCD5809CA1834DE9283AB1DEDDBF513B3D1EB4F3E7622CB9CDA88A77B34B4E';
const expected = { height: HEIGHT, chainId: CHAIN_ID, now: Date.parse('2026-01-02T12:00:00Z') };

test('a record that fits becomes a row with its own text, less the signatures of the block before', () => {
  const { checksum, ...row } = checkBlock(record, expected).row;
  const [begin, end] = [record.indexOf(',"last_commit":'), record.indexOf('}},"block_results"')];
  assert.ok(begin > 0 && end > begin);
  assert.deepEqual(row, {
    height: HEIGHT,
    time: '2026-01-02 10:12:46',
    hash: HASH,
    record: record.slice(0, begin) + record.slice(end),
  });
  assert.equal(checksum, crc32(`${row.time}${row.hash}${row.record}`));
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
  ['null', 'null', 'block 14: the record contains no block'],
  ['a hole', '{"height":14,"block":{"block":null}}', 'block 14: the record contains no block'],
  [
    'another height',
    record.replaceAll('"height":"14"', '"height":"15"'),
    `block 14 (${HASH}): the header has height 15`,
  ],
  [
    'another chain',
    record.replace(CHAIN_ID, 'other-1'),
    `block 14 (${HASH}): its chain is other-1, expected localhub-1`,
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
    `block 14 (${HASH}): the results have height 13`,
  ],
  [
    'no results',
    record.replace('"block_results"', '"results"'),
    `block 14 (${HASH}): the results have height undefined`,
  ],
  [
    'an older node',
    record.replace('"finalize_block_events"', '"begin_block_events"'),
    `block 14 (${HASH}): the results have no finalize_block_events, as before CometBFT 0.38: name another node, or set HUBLEDGER_INDEX_START to a later day`,
  ],
  [
    'a lost transaction',
    record.replace('"txs":[]', '"txs":["AA=="]'),
    `block 14 (${HASH}): it has 1 transactions, but 0 results`,
  ],
  [
    'an event without a type',
    garbled(({ finalize_block_events: [event] }) => ({ ...event, type: null })),
    `block 14 (${HASH}): finalize_block_events/0 is malformed`,
  ],
  [
    'an attribute that is a number',
    garbled(({ finalize_block_events: [event] }) => ({ ...event, attributes: [{ key: 'amount', value: 5 }] })),
    `block 14 (${HASH}): finalize_block_events/0 is malformed`,
  ],
  [
    'an amount that is no coins',
    garbled(() => ({ type: 'coin_received', attributes: [{ key: 'amount', value: '5uatom,abc' }] })),
    `block 14 (${HASH}): finalize_block_events/0: the amount of coin_received is "5uatom,abc"`,
  ],
  [
    'events that are no list',
    record.replace('"finalize_block_events":[', '"finalize_block_events":{},"events":['),
    `block 14 (${HASH}): finalize_block_events is not a list`,
  ],
  [
    'a change of the validator set without a key',
    record.replace('"validator_updates":null', '"validator_updates":[{"power":"1"}]'),
    `block 14 (${HASH}): validator_updates/0 is malformed`,
  ],
  [
    'evidence of nothing',
    record.replace('"evidence":[]', '"evidence":[{"type":"tendermint/LightClientAttackEvidence"}]'),
    `block 14 (${HASH}): evidence/0 is malformed`,
  ],
];

/** A height with transactions that succeeded. */
const BUSY = 20;

type Change = (record: BlockRecord) => void;

function changed(height: number, change: Change): string {
  const parsed: BlockRecord = JSON.parse(sampleLines[height]!);
  change(parsed);
  return JSON.stringify(parsed);
}

const header = ({ block }: BlockRecord) => block.block.header;
const results = ({ block_results }: BlockRecord) => block_results.txs_results!;
const evidence = (type: string) => ({ type, value: { vote_a: { height: '19', validator_address: 'AB' } } });

const NO_COINBASE = /^it has no coinbase event of its BeginBlock, so its finalize_block_events are not complete$/;
const isOfEnd = ({ attributes }: RecordedEvent) =>
  attributes!.some(({ key, value }) => key === 'mode' && value === 'EndBlock');

const faults: readonly [what: string, change: Change, message: RegExp][] = [
  [
    'no events of the block',
    ({ block_results }) => Object.assign(block_results, { finalize_block_events: null }),
    NO_COINBASE,
  ],
  [
    'an empty list of events of the block',
    ({ block_results }) => Object.assign(block_results, { finalize_block_events: [] }),
    NO_COINBASE,
  ],
  [
    'only the events of the end of the block',
    ({ block_results: all }) =>
      Object.assign(all, { finalize_block_events: all.finalize_block_events!.filter(isOfEnd) }),
    NO_COINBASE,
  ],
  [
    'a successful transaction without the events of its message',
    (record) => {
      const first = results(record).find(({ code }) => !code)!;
      first.events = first.events!.filter(({ attributes }) => !attributes!.some(({ key }) => key === 'msg_index'));
    },
    /^txs_results\/\d+ succeeded, but has no event of its message 0$/,
  ],
  [
    'a garbled transaction',
    ({ block }) => block.block.data.txs!.splice(0, 1, 'AAAA'),
    /^its data_hash is \w{64}, but its content has \w{64}$/,
  ],
  [
    'a changed time',
    (record) => Object.assign(header(record), { time: '2026-01-03T03:07:09Z' }),
    /^its hash is \w{64}, but its content has \w{64}$/,
  ],
  ['another state', (record) => Object.assign(header(record), { app_hash: 'AB'.repeat(32) }), /^its hash is /],
  ['no last_block_id', (record) => Object.assign(header(record), { last_block_id: null }), /^it cannot be hashed: /],
  [
    "evidence of a double vote that is not the chain's",
    ({ block }) => block.block.evidence!.evidence!.push(evidence('tendermint/DuplicateVoteEvidence')),
    /^its evidence_hash is /,
  ],
  [
    'evidence of an attack in a block without any',
    ({ block }) => block.block.evidence!.evidence!.push(evidence('tendermint/LightClientAttackEvidence')),
    /^its evidence_hash is /,
  ],
  [
    'success without events',
    (record) => Object.assign(results(record)[0]!, { events: [] }),
    /^txs_results\/0 succeeded, but has no event of its sequence or fee$/,
  ],
  [
    'success with null for events',
    (record) => Object.assign(results(record)[1]!, { events: null }),
    /^txs_results\/1 succeeded, /,
  ],
  [
    'keys in base64',
    (record) => {
      for (const { attributes } of results(record)[0]!.events!) {
        for (const attribute of attributes!) attribute.key = btoa(attribute.key);
      }
    },
    /^txs_results\/0 succeeded, /,
  ],
  [
    'gas that is no number',
    (record) => Object.assign(results(record)[0]!, { gas_used: 'much' }),
    /^it cannot be hashed: /,
  ],
];

for (const [what, change, reason] of faults) {
  test(`refused: ${what}`, () => {
    assert.throws(
      () => checkBlock(changed(BUSY, change), { ...expected, height: BUSY, now: Date.now() }),
      (error) => error instanceof BlockError && error.height === BUSY && reason.test(error.reason),
    );
  });
}

test('a transaction that failed may have any bytes and no events', () => {
  const [line] = sealed([
    changed(BUSY, (record) => {
      record.block.block.data.txs!.splice(0, 1, 'AAAA');
      Object.assign(results(record)[0]!, { code: 2, events: null });
    }),
  ]);
  const { block } = checkBlock(line!, { ...expected, height: BUSY, now: Date.now() });
  assert.deepEqual(block.transactions[0]!.messages, []);
});

test('bytes that are no transaction are refused where they succeeded', () => {
  const [line] = sealed([changed(BUSY, ({ block }) => block.block.data.txs!.splice(0, 1, 'AAAA'))]);
  assert.throws(
    () => checkBlock(line!, { ...expected, height: BUSY, now: Date.now() }),
    (error) => error instanceof BlockError && /^transaction 0 does not decode: /.test(error.reason),
  );
});

test('a block may be ten minutes ahead of the clock', () => {
  const time = Date.parse('2026-01-02T10:12:46.668Z');
  assert.equal(checkBlock(record, { ...expected, now: time - 600_000 }).row.hash, HASH);
  assert.throws(
    () => checkBlock(record, { ...expected, now: time - 601_000 }),
    (error) =>
      error instanceof BlockError &&
      error.reason === 'its time is 2026-01-02T10:12:46.66859Z, but now is 2026-01-02T10:02Z',
  );
});

const check = (height: number, line: string) => checkBlock(line, { ...expected, height, now: Date.now() });
const update = { pub_key: { Sum: { value: { ed25519: 'AAAA' } } }, power: '1' };

/** Changes of one of two blocks that follow each other; each of them passes by itself. */
const contradictions: readonly [what: string, height: number, change: Change, about: number, reason: RegExp][] = [
  [
    'another parent',
    BUSY + 1,
    (record) => Object.assign(header(record).last_block_id, { hash: HASH }),
    BUSY + 1,
    /^it follows block \w{64}, but block 20 is \w{64}$/,
  ],
  [
    'an earlier time',
    BUSY + 1,
    (record) => Object.assign(header(record), { time: '2026-01-01T00:00:00Z' }),
    BUSY + 1,
    /^its time is 2026-01-01 00:00:00, but block 20 is of 2026-01-03 03:07:08$/,
  ],
  [
    'more gas',
    BUSY,
    (record) => Object.assign(results(record)[0]!, { gas_used: '1' }),
    BUSY,
    /^its results have the hash \w{64}, but \w{64} by block 21$/,
  ],
  [
    'another outcome',
    BUSY,
    (record) => Object.assign(results(record)[0]!, { code: 5 }),
    BUSY,
    /^its results have the hash /,
  ],
  [
    'a change of the validator set that was not',
    BUSY,
    (record) => Object.assign(record.block_results, { validator_updates: [update] }),
    BUSY,
    /^it has validator_updates, but the validator set is the same by block 21$/,
  ],
];

for (const [what, height, change, about, reason] of contradictions) {
  test(`a contradiction between two blocks: ${what}`, () => {
    const [before, after] = [BUSY, BUSY + 1].map((one) => {
      if (one !== height) return check(one, sampleLines[one]!);
      const line = changed(one, change);
      const record: BlockRecord = JSON.parse(line);
      record.block.block_id.hash = headerHash(record.block.block.header);
      return check(one, JSON.stringify(record));
    });
    const fault = linkFault(before!.link, after!);
    assert.ok(fault);
    assert.equal(fault.height, about);
    assert.match(fault.reason, reason);
  });
}

test('no two blocks of the recorded chain contradict each other', () => {
  let before = check(1, sampleLines[1]!);
  for (const [height, line] of sampleLines.entries()) {
    if (height < 2) continue;
    const after = check(height, line);
    assert.equal(linkFault(before.link, after), undefined);
    before = after;
  }
});

test('a change of the validator set that was left out is a contradiction', () => {
  const height = sampleLines.findIndex((line) => /"validator_updates":\[/.test(line));
  const silent = changed(height, (record) => Object.assign(record.block_results, { validator_updates: null }));
  const fault = linkFault(check(height, silent).link, check(height + 1, sampleLines[height + 1]!));
  assert.match(fault!.reason, /^it has no validator_updates, but the validator set is another one by block \d+$/);
});

test('lists and texts that are null are empty ones', () => {
  const empty = garbled(() => ({ type: 'coin_received', attributes: [{ key: 'amount', value: null }] }));
  assert.equal(checkBlock(empty, expected).row.hash, HASH);
  assert.equal(
    checkBlock(
      garbled(() => ({ type: 'coin_received', attributes: null })),
      expected,
    ).row.hash,
    HASH,
  );
});

for (const [what, text, message] of misfits) {
  test(`refused in one line: ${what}`, () => {
    assert.throws(
      () => checkBlock(text, expected),
      (error: Error) =>
        error instanceof BlockError && error.message.startsWith(message) && !error.message.includes('\n'),
    );
  });
}

/** Numbers in events that a node, or a proxy before it, has garbled: what later steps cannot read is never stored. */

const faultOf = (...events: ChainEventRecord[]) => resultsFault({ block_results: { finalize_block_events: events } });

/** What chains do write, however strange. */
const SOUND: readonly ChainEventRecord[] = [
  event('withdraw_rewards', { amount: '' }),
  event('withdraw_rewards', { amount: '0stake' }),
  event('withdraw_rewards', { amount: '1factory/cosmos1x/a:b._-c,2gamm/pool/1,3ibc/AB,4uatom' }),
  event('coin_spent', { amount: `${'9'.repeat(78)}factory/cosmos1x/huge` }),
  event('rewards', { amount: '0.000000000000000001ibc/AB,1.500000000000000000uatom' }),
  event('commission', { amount: '' }),
  event('complete_unbonding', { amount: '' }),
  event('proposal_deposit', { voting_period_start: '7' }),
  event('slash', { jailed: 'cosmosvalcons1x' }),
  event('slash', { power: '0', burned_coins: '0' }),
  event('redeem_shares', { amount: '7cosmosvaloper1x/59001' }),
  event('wasm-unbond', { amount: 'all of it' }),
  event('ibccallbackerror-coin_received', { amount: '?' }),
];

test('what a chain writes is no fault', () => {
  for (const sound of SOUND) assert.equal(faultOf(sound), undefined, JSON.stringify(sound));
});

test('an amount of more digits than the chain has is named', () => {
  const text = `${'9'.repeat(79)}uatom`;
  assert.equal(
    faultOf(event('coin_spent', { amount: text })),
    `finalize_block_events/0: the amount of coin_spent is "${text}"`,
  );
});

test('a number that is none is named with its place', () => {
  const garbled = event('delegate', { amount: '5uatom', new_shares: '5.0e1' });
  const fault = 'finalize_block_events/1: the new_shares of delegate is "5.0e1"';
  assert.equal(faultOf(SOUND[0]!, garbled), fault);
});

/** The blocks of the sample, with each state before one of them as lines. */
let blocks: FullBlock[];
before(async () => {
  blocks = await readSample();
});

const GARBLED = ['abc', '5', '5uatom,', '-5uatom', '1.5uatom', '5 uatom'];

/** The block with another value of one attribute. */
function garble(block: FullBlock, type: string, key: string, value: string): FullBlock {
  let isDone = false;
  const changed = (events: readonly ChainEventRecord[]) =>
    events.map((one) => {
      if (isDone || one.type !== type || !one.attributes.some((attribute) => attribute.key === key)) return one;
      isDone = true;
      const attributes = one.attributes.map((attribute) => (attribute.key === key ? { key, value } : attribute));
      return { type, attributes };
    });
  const events = changed(block.events);
  const transactions = block.transactions.map((one) => ({ ...one, hash: one.hash, events: changed(one.events) }));
  return { ...block, events, transactions };
}

/** Says what a step cannot read of a block; a figure that is another one than the chain's can be read. */
function unreadable(block: FullBlock, lines: readonly string[]): string | undefined {
  try {
    classifyBlock(block, chain);
    foldBlock(deserializeState(lines, sha256), block, () => {});
  } catch (error) {
    if (!(error instanceof HoldingsError)) return (error as Error).message;
    if (error.difference.what === 'a figure') return error.message;
  }
  return undefined;
}

/** Texts that say to whom, of what or which message: no numbers. */
const NO_NUMBERS = new Set(['msg_index', 'authz_msg_index', 'mode']);

test('every number of the sample that later steps cannot read is refused', async (context) => {
  const state = await openGenesis();
  const tried = new Set<string>();
  const missed: string[] = [];
  for (const block of blocks) {
    const lists = [block.events, ...block.transactions.filter(({ code }) => code === 0).map(({ events }) => events)];
    const found = lists.flat().flatMap(({ type, attributes }) => attributes.map((one) => ({ type, ...one })));
    const fresh = found.filter(({ type, key, value }) => {
      return /^\d/.test(value) && !NO_NUMBERS.has(key) && !tried.has(`${type}.${key}`);
    });
    const lines = fresh.length > 0 ? linesOf(state) : [];
    for (const { type, key } of fresh) {
      if (tried.has(`${type}.${key}`)) continue;
      tried.add(`${type}.${key}`);
      for (const value of GARBLED) {
        const fault = faultOf(event(type, { [key]: value })) ?? 'stored';
        const reason = fault === 'stored' ? unreadable(garble(block, type, key, value), lines) : undefined;
        if (reason !== undefined) missed.push(`${type}.${key} ${JSON.stringify(value)}: ${reason}`);
      }
    }
    foldBlock(state, block, () => {});
  }
  context.diagnostic(`${tried.size} attributes with numbers`);
  assert.deepEqual(missed, []);
  assert.ok(tried.size > 40);
});

test('no block of the sample has a fault', () => {
  for (const { events, transactions } of blocks) {
    const results = { finalize_block_events: events, txs_results: transactions };
    assert.equal(resultsFault({ block_results: results }), undefined);
  }
});

/** Hashes of real blocks: of the recorded chain, and of one with evidence of a double vote (fixtures of informalsystems/tendermint-rs). */

test('every hash of the recorded chain is computed from what it covers', () => {
  let results: string | undefined;
  for (const line of sampleLines.slice(1)) {
    const { block, block_results }: BlockRecord = JSON.parse(line);
    const { header, data, evidence } = block.block;
    assert.equal(headerHash(header), block.block_id.hash);
    assert.equal(dataHash(data.txs), header.data_hash);
    assert.equal(evidenceHash(evidence?.evidence), header.evidence_hash);
    if (results) assert.equal(results, header.last_results_hash);
    results = resultsHash(block_results.txs_results);
  }
});

test('evidence of a double vote has the hash of its header, in either spelling of its members', () => {
  const path = join(projectRoot(), 'test/chain/double-votes.json');
  const blocks: BlockRecord['block'][] = JSON.parse(readFileSync(path, 'utf8'));
  assert.equal(blocks.length, 2);
  for (const { block_id, block } of blocks) {
    assert.equal(headerHash(block.header), block_id.hash);
    assert.equal(evidenceHash(block.evidence!.evidence), block.header.evidence_hash);
  }
});

test('evidence of an attack on light clients has no hash here', () => {
  assert.equal(evidenceHash([{ type: 'tendermint/LightClientAttackEvidence', value: {} }]), undefined);
});
