import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTags } from '../../../pipeline/books/ledger/decisions.js';
import { resolveTags } from '../../../pipeline/books/ledger/row-tags.js';
import type { PricedEvent } from '../../../schemas/types.generated.js';
import { hash, makeEvent, readTags, receipt, replay, rules, tagsOf } from './wallets.js';

const OSMO = rules.denomOf('OSMO')!;
const H = hash(1);

const coin = (direction: 'received' | 'sent' | 'fee', denom = 'uatom') => ({
  [`${direction}_amount`]: 5_000_000n,
  [`${direction}_denom`]: denom,
});

/** Makes a row of transaction 1. */
const row = (category: string, sides: Partial<PricedEvent>, id = `1-0-${category.replaceAll('_', '-')}`) =>
  makeEvent(1, '2026-02-10', category, { id, ...sides });

const reward = row('staking_reward', coin('received'));
const otherReward = row('staking_reward', coin('received', OSMO), '1-0-osmo');
const commission = row('validator_commission', coin('received'));
const redirected = row('redirected_reward_in', coin('received'));
const delegation = row('delegate', coin('sent'));
const sent = row('transfer_out', coin('sent'));
const received = row('transfer_in', coin('received'));
const fee = row('fee', coin('fee'));
const slash = row('slash', coin('sent'));
const burned = row('gov_deposit_burned', coin('sent'));

/** The rows of one transaction in one wallet, the tags, and the rows that each key reaches. */
const REACHED: readonly (readonly [
  rows: readonly PricedEvent[],
  tags: Record<string, string>,
  reached: PricedEvent[][],
])[] = [
  [[reward], { [H]: 'income' }, [[reward]]],
  [[reward], { [`${H}:uatom`]: 'income' }, [[reward]]],
  [[reward, otherReward], { [`${H}:uatom`]: 'income' }, [[reward]]],
  [[reward, otherReward], { [H]: 'income' }, [[reward, otherReward]]],
  [[commission], { [H]: 'income' }, [[commission]]],
  [[redirected], { [H]: 'income' }, [[redirected]]],
  [[delegation, reward, fee], { [H]: 'income' }, [[reward]]],
  [[sent, reward], { [H]: 'gift' }, [[sent]]],
  [[reward, received], { [H]: 'income' }, [[received]]],
  [[sent, reward], { [H]: 'income' }, [[reward]]],
  [[slash, sent], { [H]: 'lost' }, [[sent]]],
  [[burned, slash, fee, received], { [H]: 'ignore' }, [[received]]],
  [[slash], { [slash.id]: 'lost' }, [[slash]]],
  [[reward, received], { [H]: 'income', [reward.id]: 'gift' }, [[received], [reward]]],
  // The key of a denom does not name rows of other denoms, so the reward is all that it fits.
  [[otherReward, received], { [`${H}:${OSMO}`]: 'income' }, [[otherReward]]],
  // The tag fits the transfer, whose own id wins, so it does not fall back to the reward.
  [[reward, received], { [H]: 'income', [received.id]: 'gift' }, [[], [received]]],
  [[received], { [H]: 'gift', [`${H}:uatom`]: 'income' }, [[], [received]]],
];

test('a tag by hash reaches the rows that it fits, rewards only if it fits no other row, losses and fees never', () => {
  for (const [rows, given, reached] of REACHED) {
    const { tagged, issues } = readTags(rows, given);
    const what = `${rows.map(({ id }) => id)} ${JSON.stringify(given)}`;
    assert.deepEqual(
      tagged.map((one) => one.rows),
      reached.map((some) => some.map(({ id }) => id)),
      what,
    );
    assert.deepEqual(issues, [], what);
  }
});

test('wallets are judged apart: a transfer in one wallet does not keep a tag from the reward of another', () => {
  const other = { ...reward, id: '1-0-b', address: 'B' };
  assert.deepEqual(readTags([received, other], { [H]: 'income' }).tagged[0]!.rows, [received.id, '1-0-b']);
});

test('a tag that fits none of its rows is an error that names the rows and the reasons', () => {
  const message = (rows: readonly PricedEvent[], key: string, tag: string) =>
    readTags(rows, { [key]: tag }).issues.map((issue) => `${issue.path} ${issue.message}`);
  assert.deepEqual(message([fee, reward], H, 'lost'), [
    `/${H} lost fits none of its rows: fee of uatom (row 1-0-fee: takes no tag), ` +
      'staking_reward of uatom (row 1-0-staking-reward: lost is only for sent coins)',
  ]);
  assert.deepEqual(message([slash, burned], H, 'lost'), [
    `/${H} lost fits none of its rows: slash of uatom (row 1-0-slash: is tagged only by its id), ` +
      'gov_deposit_burned of uatom (row 1-0-gov-deposit-burned: takes no tag)',
  ]);
  assert.deepEqual(message([sent, delegation], `${H}:uatom`, 'income'), [
    `/${H}:uatom income fits none of its rows: transfer_out of uatom (row 1-0-transfer-out: income is only for received ` +
      'coins), delegate of uatom (row 1-0-delegate: takes no tag)',
  ]);
  const many = Array.from({ length: 9 }, (_, i) => ({ ...sent, id: `1-${i}-out` }));
  assert.match(message(many, H, 'income')[0]!, /\(row 1-4-out: [^)]*\), 4 more$/);
  assert.deepEqual(message([sent], hash(2), 'income'), []);
});

test('a key that reached no row has a reason if a wallet has its hash', () => {
  const reasons = (rows: readonly PricedEvent[], given: Record<string, string>) =>
    readTags(rows, given).tagged.map(({ rows: reached, reason }) => reason ?? reached);
  assert.deepEqual(reasons([reward], { [`${H}:ATOM`]: 'income', [`${H}:atom`]: 'income' }), [
    'ATOM is a symbol: the key takes the denom uatom',
    'atom is a symbol: the key takes the denom uatom',
  ]);
  assert.deepEqual(reasons([reward, fee], { [`${H}:${OSMO}`]: 'income', [hash(2)]: 'gift' }), [
    `its rows have no coins of ${OSMO}, only of uatom`,
    [],
  ]);
  const overridden = 'each row that the tag fits has a more specific key';
  assert.deepEqual(reasons([received], { [H]: 'gift', [`${H}:uatom`]: 'income' }), [overridden, [received.id]]);
});

test('the tag of a denom wins over that of its transaction', () => {
  const events = [receipt(1), receipt(2, { received_denom: OSMO, tx_hash: H })];
  const tags = tagsOf(events, { [H]: 'income', [`${H}:${OSMO}`]: 'purchase' });
  const { entries } = replay(events, { tags, assets: new Map() });
  assert.deepEqual(
    entries.map((entry) => entry.credit_account),
    ['Income: Other', 'Clearing: Purchases'],
  );
});

test('a row looks up only the tags of its own denoms', () => {
  const given = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`${H}:other${i}`, 'gift']));
  let asked = 0;
  const category = (name: string) => {
    asked++;
    return rules.category(name);
  };
  const read = parseTags({ [`${H}:uatom`]: 'gift', ...given }, rules);
  assert.ok('value' in read);
  resolveTags([receipt(1)], read.value, { ...rules, category });
  assert.ok(asked < 20, `${asked} looks at the category`);
});
