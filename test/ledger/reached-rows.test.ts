import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EVERY_DENOM, noDecisions, parseTags } from '../../pipeline/ledger/decisions.js';
import { reportTags } from '../../pipeline/ledger/reached-rows.js';
import { hash, makeEvent, receipt, replay, rules } from './wallets.js';

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

test('reports each bad tag with a pointer', () => {
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

test('a tag must fit one of its rows; a tag that reaches no row is ignored and reported', () => {
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
  assert.match(faults[0]!.message, /^sale applies only to sent coins/);
  assert.equal(check({ [events[4]!.id]: 'gift' })[0]!.message, 'none of its rows accepts a tag');
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

test('a row looks up only the tags of its own denoms', () => {
  const given = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`${hash(1)}:other${i}`, 'gift']));
  let asked = 0;
  const category = (name: string) => {
    asked++;
    return rules.category(name);
  };
  reportTags([receipt(1)], tagsOf({ [`${hash(1)}:uatom`]: 'gift', ...given }), { ...rules, category });
  assert.ok(asked < 20, `${asked} looks at the category`);
});
