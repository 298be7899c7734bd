import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Decisions,
  decisionIssues,
  noDecisions,
  parseAssetDecisions,
  parseTags,
} from '../../../pipeline/ledger/decisions/decisions.js';
import { reportTags } from '../../../pipeline/ledger/decisions/reached-rows.js';
import { EVERY_DENOM } from '../../../pipeline/ledger/decisions/tags.js';
import { positionsOf } from '../../../pipeline/reports/positions.js';
import { hash, makeEvent, replay, rules } from '../wallets.js';

const OSMO = rules.denomOf('OSMO')!;
const tagsOf = (value: unknown) => {
  const read = parseTags(value, rules);
  assert.ok('value' in read, JSON.stringify(read));
  return read.value;
};
const tagFaults = (value: unknown) => {
  const read = parseTags(value, rules);
  assert.ok('errors' in read);
  return read.errors.map((fault) => fault.path);
};
const assetsOf = (value: unknown) => {
  const read = parseAssetDecisions(value);
  assert.ok('value' in read, JSON.stringify(read));
  return read.value;
};
const assetFaults = (value: unknown) => {
  const read = parseAssetDecisions(value);
  assert.ok('errors' in read);
  return read.errors.map(({ path, message }) => `${path} ${message}`);
};
const receipt = (height: number, more = {}) =>
  makeEvent(height, '2026-02-10', 'transfer_in', {
    received_amount: 20_000_000n,
    received_denom: 'uatom',
    received_price: 12_000_000n,
    ...more,
  });
const decided = (decision: object, tag?: string): Decisions => ({
  tags: tag === undefined ? new Map() : tagsOf({ [hash(1)]: tag }),
  assets: assetsOf({ [receipt(1).id]: decision }),
});

test('keys of tags: hashes in either case, blocks, and denoms with colons and slashes', () => {
  const tags = tagsOf({
    [hash(0xab).toLowerCase()]: 'gift',
    [`${hash(0xab)}:${OSMO}`]: 'sale',
    'block:12': 'income',
    'block:12:factory/cosmos1x/a:b': 'airdrop',
    '381-block-74-34-out': 'lost',
  });
  assert.deepEqual(
    [...tags].map(([hash, ofDenoms]) => [hash, ...[...ofDenoms].map(([denom, { tag }]) => [denom, tag.tag])]),
    [
      [hash(0xab), [EVERY_DENOM, 'gift'], [OSMO, 'sale']],
      ['block:12', [EVERY_DENOM, 'income'], ['factory/cosmos1x/a:b', 'airdrop']],
      ['381-block-74-34-out', [EVERY_DENOM, 'lost']],
    ],
  );
});

test('bad tags are told one by one, with pointers', () => {
  assert.deepEqual(tagFaults([]), ['']);
  assert.deepEqual(tagFaults(null), ['']);
  assert.deepEqual(
    tagFaults({
      abc: 'gift',
      [`${hash(1)}:`]: 'gift',
      'block:012': 'gift',
      'BLOCK:12': 'gift',
      [`${hash(2)}:a/b~c!`]: 'gift',
      [hash(3)]: 'bonus',
      [hash(4)]: { tag: 'gift' },
      [hash(0xa)]: 'gift',
      [hash(0xa).toLowerCase()]: 'sale',
    }),
    [
      '/abc',
      `/${hash(1)}:`,
      '/block:012',
      '/BLOCK:12',
      `/${hash(2)}:a~1b~0c!`,
      `/${hash(3)}`,
      `/${hash(4)}`,
      `/${hash(0xa).toLowerCase()}`,
    ],
  );
  assert.deepEqual(tagFaults(JSON.parse('{"__proto__": "gift"}')), ['/__proto__']);
  assert.deepEqual(tagFaults({ [hash(1)]: 'constructor' }), [`/${hash(1)}`]);
});

test('the tag of a denom wins over that of its transaction', () => {
  const events = [receipt(1), receipt(2, { received_denom: OSMO, tx_hash: hash(1) })];
  const { entries } = replay(events, {
    ...noDecisions,
    tags: tagsOf({ [hash(1)]: 'income', [`${hash(1)}:${OSMO}`]: 'purchase' }),
  });
  assert.deepEqual(
    entries.map((entry) => entry.credit_account),
    ['Income: Other', 'Clearing: Purchases'],
  );
});

test('a tag must fit one row that it names; what reaches none is passed over, and told', () => {
  const events = [
    makeEvent(1, '2026-02-10', 'fee', { fee_amount: 5n, fee_denom: 'uatom' }),
    receipt(2, { tx_hash: hash(1) }),
    makeEvent(3, '2026-02-10', 'transfer_out', { sent_amount: 5n, sent_denom: 'uatom', tx_hash: hash(1) }),
    receipt(4),
    makeEvent(5, '2026-02-10', 'fee', { fee_amount: 5n, fee_denom: 'uatom' }),
  ];
  const check = (tags: object) => reportTags(events, tagsOf(tags), rules).issues;
  assert.deepEqual(check({ [hash(1)]: 'sale', [hash(99)]: 'sale', [`${hash(4)}:${OSMO}`]: 'sale' }), []);
  assert.deepEqual(check({ [hash(1)]: 'income', [hash(4)]: 'gift' }), []);
  const faults = check({ [hash(4).toLowerCase()]: 'sale', [events[4]!.id]: 'expense' });
  assert.deepEqual(
    faults.map((fault) => fault.path),
    [`/${hash(4)}`, `/${events[4]!.id}`],
  );
  assert.match(faults[0]!.message, /^sale is for what is sent/);
  const given = { [hash(1)]: 'payment', [hash(5)]: 'expense', [hash(99)]: 'gift', [events[3]!.id]: 'income' };
  assert.deepEqual(reportTags(events, tagsOf(given), rules), {
    reached: [
      { key: hash(1), tag: 'payment', rows: [events[1]!.id, events[2]!.id] },
      { key: hash(5), tag: 'expense', rows: [] },
      { key: hash(99), tag: 'gift', rows: [] },
      { key: events[3]!.id, tag: 'income', rows: [events[3]!.id] },
    ],
    issues: [],
  });
});

test('a hash reaches no reward, commission, fee, slash or burned deposit; the id of a row reaches that row alone', () => {
  const coin = { received_amount: 10_000_000n, received_denom: 'uatom', received_price: 12_000_000n };
  const lost = { sent_amount: 1n, sent_denom: 'uatom', tx_hash: hash(1) };
  const events = [
    makeEvent(1, '2026-02-10', 'staking_reward', { ...coin, link: 'reward' }),
    makeEvent(2, '2026-02-10', 'validator_commission', { ...coin, tx_hash: hash(1) }),
    makeEvent(3, '2026-02-10', 'slash', lost),
    makeEvent(4, '2026-02-10', 'gov_deposit_burned', lost),
    makeEvent(5, '2026-02-10', 'reward_redirected', { ...lost, sent_amount: 10_000_000n, link: 'reward' }),
    makeEvent(6, '2026-02-10', 'redirected_reward_in', { ...coin, tx_hash: hash(1) }),
    makeEvent(7, '2026-02-10', 'transfer_in', { ...coin, tx_hash: hash(1) }),
  ];
  const accounts = (tags: object) =>
    replay(events, { ...noDecisions, tags: tagsOf(tags) }).entries.map((entry) => entry.memo.startsWith('tag'));
  assert.deepEqual(accounts({ [hash(1)]: 'ignore' }), [false, false, false, false, false, false, true]);
  assert.deepEqual(accounts({ [events[0]!.id]: 'gift', [hash(1)]: 'ignore' })[0], true);
  const byId = { [events[2]!.id]: 'lost', [events[3]!.id]: 'lost' };
  assert.deepEqual(
    reportTags(events, tagsOf(byId), rules).issues.map(({ path }) => path),
    [`/${events[3]!.id}`],
  );
});

test('bad asset decisions are told one by one, with pointers', () => {
  assert.deepEqual(assetFaults('x'), [' must be an object of record id → decision']);
  assert.deepEqual(
    assetFaults({
      a: 'exclude',
      b: { mode: 'keep' },
      c: { mode: 'exclude', quantity: '1' },
      d: { mode: 'override' },
      'e/1': { mode: 'override', price: '1' },
      f: { mode: 'override', quantity: '-1', value_usd: '1e3', cost_basis_usd: '.5', acquired_date: '2026-02-30' },
      g: { mode: 'override', quantity: 1, token: ' ', value_usd: 'NaN', acquired_date: '2026-2-3' },
      h: { mode: 'override', quantity: '0.0' },
    }),
    [
      '/a must be an object with a mode',
      '/b/mode must be exclude or override',
      '/c/quantity is no member of a decision with mode exclude',
      '/d an override needs at least one of token, quantity, value_usd, cost_basis_usd, acquired_date',
      '/e~11/price is no member of a decision with mode override',
      '/f/quantity must be a plain decimal above zero',
      '/f/value_usd must be a plain decimal, not negative',
      '/f/cost_basis_usd must be a plain decimal, not negative',
      '/f/acquired_date must be a day of the calendar, YYYY-MM-DD',
      '/g/quantity must be text',
      '/g/token must be a symbol or a denom',
      '/g/value_usd must be a plain decimal, not negative',
      '/g/acquired_date must be a day of the calendar, YYYY-MM-DD',
      '/h/quantity must be a plain decimal above zero',
    ],
  );
  assert.deepEqual(assetsOf({ r: { mode: 'override', value_usd: '1.005' } }).get('r'), {
    mode: 'override',
    value_usd: 101n,
  });
});

test('what only the receipt can tell: its day, and the places of its token', () => {
  const check = (decision: object) => decisionIssues(receipt(1), decided(decision).assets.get(receipt(1).id)!, rules);
  const pointer = `/${receipt(1).id}`;
  assert.deepEqual(check({ mode: 'override', acquired_date: '2026-02-10' }), []);
  assert.equal(check({ mode: 'override', acquired_date: '2026-02-11' })[0]!.path, `${pointer}/acquired_date`);
  assert.equal(check({ mode: 'override', quantity: '0.0000001' })[0]!.path, `${pointer}/quantity`);
  assert.equal(check({ mode: 'override', token: 'unheard', quantity: '0.5' })[0]!.path, `${pointer}/quantity`);
  assert.deepEqual(check({ mode: 'exclude' }), []);
});

/** A receipt of 20 ATOM worth 240.00 under a decision: entries without the day, and the position. */
function outcome(decision: object, tag?: string) {
  const { wallet, entries } = replay([receipt(1)], decided(decision, tag));
  return {
    entries: entries.map((e) => [e.debit_account, e.credit_account, e.amount_usd, e.quantity, e.memo]),
    positions: positionsOf(wallet, () => null).map((p) => [
      p.asset,
      p.quantity,
      p.cost_basis_usd,
      p.basis_unknown_quantity,
      p.oldest_lot,
    ]),
  };
}

const ATOM = 'Digital Assets: ATOM';
const UNCLASSIFIED = 'Transfers In: Unclassified';

test('an override says what was received, when it was acquired and what it cost', () => {
  assert.deepEqual(
    outcome({ mode: 'override', token: 'OSMO', quantity: '3.5', cost_basis_usd: '7', acquired_date: '2021-05-01' }),
    {
      entries: [['Digital Assets: OSMO', UNCLASSIFIED, 700n, 3_500_000n, 'asset decision']],
      positions: [['OSMO', '3.5', '7.00', '0', '2021-05-01']],
    },
  );
});

test('an override without a cost leaves the basis unknown and shows the value', () => {
  assert.deepEqual(outcome({ mode: 'override', value_usd: '200' }), {
    entries: [[ATOM, UNCLASSIFIED, 0n, 20_000_000n, 'asset decision; basis unknown; FMV 200.00']],
    positions: [['ATOM', '20', '', '20', '2026-02-10']],
  });
});

test('tag and override: the tag decides what it is, the override what it is worth and cost', () => {
  const memo = 'tag income; asset decision';
  assert.deepEqual(outcome({ mode: 'override', value_usd: '200' }, 'income').entries, [
    [ATOM, 'Income: Other', 20_000n, 20_000_000n, memo],
  ]);
  assert.deepEqual(outcome({ mode: 'override', value_usd: '200', cost_basis_usd: '150' }, 'income'), {
    entries: [
      [ATOM, 'Income: Other', 15_000n, 20_000_000n, memo],
      [UNCLASSIFIED, 'Income: Other', 5_000n, null, memo],
    ],
    positions: [['ATOM', '20', '150.00', '0', '2026-02-10']],
  });
  assert.deepEqual(outcome({ mode: 'override', value_usd: '200', cost_basis_usd: '260' }, 'income').entries, [
    [ATOM, 'Income: Other', 20_000n, 20_000_000n, memo],
    [ATOM, UNCLASSIFIED, 6_000n, null, memo],
  ]);
  assert.deepEqual(outcome({ mode: 'override', acquired_date: '2024-01-01' }, 'gift').positions, [
    ['ATOM', '20', '', '20', '2024-01-01'],
  ]);
});

test('an excluded receipt of a foreign coin leaves no trace in the ledger, whatever its tag', () => {
  const spam = receipt(1, { received_denom: 'factory/cosmos1x/spam' });
  const { wallet, entries } = replay([spam], decided({ mode: 'exclude' }, 'income'));
  assert.deepEqual([entries, positionsOf(wallet, () => null)], [[], []]);
  assert.deepEqual(outcome({ mode: 'exclude' }), {
    entries: [[ATOM, UNCLASSIFIED, 0n, 20_000_000n, 'excluded by asset decision']],
    positions: [['ATOM', '20', '0.00', '0', '2026-02-10']],
  });
});
