import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type AssetDecision,
  type Decisions,
  decisionIssues,
  EVERY_DENOM,
  inBooks,
  noDecisions,
  type Override,
  parseAssetDecisions,
  parseTags,
} from '../../../pipeline/books/ledger/decisions.js';
import { positionsOf } from '../../../pipeline/books/reports/positions.js';
import type { PricedEvent } from '../../../schemas/types.generated.js';
import { bankRates } from '../bank-rates.js';
import { hash, makeEvent, receipt, replay, rules, tagsOf } from './wallets.js';

const parsedTags = (value: unknown) => {
  const read = parseTags(value, rules);
  assert.ok('value' in read, JSON.stringify(read));
  return read.value;
};
const assetsOf = (value: unknown) => {
  const read = parseAssetDecisions(value, bankRates);
  assert.ok('value' in read, JSON.stringify(read));
  return read.value;
};
const assetFaults = (value: unknown) => {
  const read = parseAssetDecisions(value, bankRates);
  assert.ok('errors' in read);
  return read.errors.map(({ path, message }) => `${path} ${message}`);
};
const decided = (decision: object, tag?: string): Decisions => ({
  tags: tag === undefined ? new Map() : tagsOf([receipt(1)], { [hash(1)]: tag }),
  assets: assetsOf({ [receipt(1).id]: decision }),
});

test('reports each bad asset decision with a pointer', () => {
  assert.deepEqual(assetFaults('x'), [' must be an object of record id → decision']);
  assert.deepEqual(
    assetFaults({
      a: 'exclude',
      b: { mode: 'hide' },
      '*': { mode: 'keep' },
      '*:a b': { mode: 'exclude' },
      c: { mode: 'exclude', quantity: '1' },
      d: { mode: 'override' },
      'e/1': { mode: 'override', price: '1' },
      f: { mode: 'override', quantity: '-1', value_usd: '1e3', cost_basis_usd: '.5', acquired_date: '2026-02-30' },
      g: { mode: 'override', quantity: 1, token: ' ', value_usd: 'NaN', acquired_date: '2026-2-3' },
      h: { mode: 'override', quantity: '0.0' },
    }),
    [
      '/a must be an object with a mode',
      '/b/mode must be exclude, keep, return or override',
      '/* must be *, *:<reason> or *:<sender>, with mode exclude; or *:<sender>, with mode return',
      '/*:a b must be *, *:<reason> or *:<sender>, with mode exclude; or *:<sender>, with mode return',
      '/c/quantity is not a member of a decision with mode exclude',
      '/d an override needs at least one of token, quantity, value_usd, cost_basis_usd, acquired_date',
      '/e~11/price is not a member of a decision with mode override',
      '/f/quantity must be a plain decimal above zero',
      '/f/value_usd must be a plain decimal, not negative',
      '/f/cost_basis_usd must be a plain decimal, not negative',
      '/f/acquired_date must be a calendar date, YYYY-MM-DD',
      '/g/quantity must be text',
      '/g/token must be a symbol or a denom',
      '/g/value_usd must be a plain decimal, not negative',
      '/g/acquired_date must be a calendar date, YYYY-MM-DD',
      '/h/quantity must be a plain decimal above zero',
    ],
  );
  assert.deepEqual(assetsOf({ r: { mode: 'override', value_usd: '1.005' } }).get('r'), {
    mode: 'override',
    value: 101n,
  });
});

test('money in another currency: which members belong together', () => {
  assert.deepEqual(
    assetFaults({
      a: { mode: 'override', currency: 'QQQ', value: '1' },
      b: { mode: 'override', currency: 'eur', value: '1' },
      c: { mode: 'override', currency: 'EUR', value: '1', value_usd: '1', cost_basis_usd: '2' },
      d: { mode: 'override', value: '1' },
      e: { mode: 'override', cost_basis: '1', cost_basis_usd: '1' },
      f: { mode: 'override', currency: 'EUR', acquired_date: '2026-01-01' },
      g: { mode: 'override', currency: 7, value: '1' },
      h: { mode: 'override', currency: 'EUR', value: '-1', cost_basis: '1e3' },
      i: { mode: 'keep', currency: 'EUR' },
    }),
    [
      '/a/currency is not USD, EUR or a currency of the table exchange_rates: "QQQ"',
      '/b/currency is not USD, EUR or a currency of the table exchange_rates: "eur"',
      '/c/value_usd cannot be combined with currency: state value',
      '/c/cost_basis_usd cannot be combined with currency: state cost_basis',
      '/d/value needs currency',
      '/e/cost_basis needs currency',
      '/f/currency needs value or cost_basis',
      '/g/currency must be text',
      '/h/value must be a plain decimal, not negative',
      '/h/cost_basis must be a plain decimal, not negative',
      '/i/currency is not a member of a decision with mode keep',
    ],
  );
});

test('a value has the rate of its row, a cost the rate of the acquired day, or else of the row', () => {
  const convert = (stated: object, time = '2026-04-03 23:59:59') => {
    const override = assetsOf({ r: { mode: 'override', ...stated } }).get('r') as Override;
    const { override: read, issues } = inBooks(override, { id: 'r', time }, bankRates);
    return { value: read.value, cost: read.cost, issues: issues.map(({ path, message }) => `${path} ${message}`) };
  };
  const eur = { currency: 'EUR', value: '100', cost_basis: '100' };
  assert.deepEqual(convert(eur), { value: 11_525n, cost: 11_525n, issues: [] });
  assert.deepEqual(convert({ ...eur, acquired_date: '2026-01-01' }), { value: 11_525n, cost: 11_750n, issues: [] });
  assert.deepEqual(convert({ currency: 'USD', value: '1.005', cost_basis: '2' }, '1999-01-01 00:00:00'), {
    ...{ value: 101n, cost: 200n, issues: [] },
  });
  const none = (member: string, day: string) =>
    `/r/${member} has no exchange rate: the table exchange_rates has none of EUR for ${day} or the 7 days before: ` +
    `state ${member}_usd instead`;
  assert.deepEqual(convert({ ...eur, acquired_date: '2024-03-01' }), {
    ...{ value: 11_525n, cost: undefined, issues: [none('cost_basis', '2024-03-01')] },
  });
  assert.deepEqual(convert(eur, '2026-04-23 00:00:00').issues, [
    none('value', '2026-04-23'),
    none('cost_basis', '2026-04-23'),
  ]);
});

test('a token is one trimmed line of text', () => {
  const faults = (token: string) => assetFaults({ r: { mode: 'override', token } });
  for (const token of ['ATOM ', '\u00a0ATOM', 'a\nb', 'a\0b', '\t', ''])
    assert.deepEqual(faults(token), ['/r/token must be a symbol or a denom'], JSON.stringify(token));
  for (const token of ['A', 'foo bar', 'factory/cosmos1x/"b"', '原子'])
    assert.ok(assetsOf({ r: { mode: 'override', token } }).has('r'), token);
});

test('checks day and decimal places of a decision against its receipt', () => {
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
    entries: entries.map((e) => [e.debit_account, e.credit_account, e.amount, e.quantity, e.memo]),
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

test('an override states the coins, the acquired date and the cost', () => {
  assert.deepEqual(
    outcome({ mode: 'override', token: 'OSMO', quantity: '3.5', cost_basis_usd: '7', acquired_date: '2021-05-01' }),
    {
      entries: [['Digital Assets: OSMO', UNCLASSIFIED, 700n, 3_500_000n, 'asset decision']],
      positions: [['OSMO', '3.5', '7.00', '0', '2021-05-01']],
    },
  );
});

test('a kept receipt is treated by its category', () => {
  const kept = replay([receipt(1)], decided({ mode: 'keep' }));
  assert.deepEqual(kept.entries, replay([receipt(1)]).entries);
  assert.deepEqual(replay([receipt(1)], decided({ mode: 'keep' }, 'income')).entries.length, 1);
});

test('an override of an unflagged row changes its basis, not its meaning', () => {
  const airdrop = makeEvent(1, '2026-02-10', 'airdrop', {
    received_amount: 20_000_000n,
    received_denom: 'uatom',
    received_price: 12_000_000n,
  });
  const asRow = (override: object): Decisions => ({
    ...noDecisions,
    assets: new Map([[airdrop.id, { mode: 'override', keepsTreatment: true, ...override } as const]]),
  });
  const entriesOf = (override: object) =>
    replay([airdrop], asRow(override)).entries.map((e) => [e.debit_account, e.credit_account, e.amount]);
  assert.deepEqual(entriesOf({ value: 10_000n }), [[ATOM, 'Income: Airdrops', 10_000n]]);
  assert.deepEqual(entriesOf({ cost: 30_000n }), [
    [ATOM, 'Income: Airdrops', 24_000n],
    [ATOM, UNCLASSIFIED, 6_000n],
  ]);
});

test('a stated value is income and basis of a reward without a price', () => {
  const reward = makeEvent(1, '2026-02-10', 'staking_reward', { received_amount: 3_000_000n, received_denom: 'uatom' });
  const outcome = (...assets: [string, AssetDecision][]) => {
    const { entries } = replay([reward], { ...noDecisions, assets: new Map(assets) });
    return entries.map((e) => [e.credit_account, e.amount, e.basis_unknown_quantity, e.memo]);
  };
  const account = 'Income: Staking Rewards';
  assert.deepEqual(outcome(), [[account, 0n, 3_000_000n, 'basis unknown; price missing']]);
  assert.deepEqual(outcome([reward.id, { mode: 'override', keepsTreatment: true, value: 2_400n }]), [
    [account, 2_400n, 0n, 'asset decision'],
  ]);
});

test('an override of a swap states the proceeds, or the cost of the new lot', () => {
  const got = { received_amount: 10n, received_denom: 'ibc/unheard' };
  const gave = { sent_amount: 4_000_000n, sent_denom: 'uatom' };
  const [whole, half] = [makeEvent(2, '2026-02-10', 'swap', { ...gave, ...got }), { link: 'swap' }];
  const halves = [
    makeEvent(2, '2026-02-10', 'swap', { ...gave, ...half }),
    makeEvent(2, '2026-02-10', 'swap', { ...got, ...half, position: 1, id: 'got' }),
  ];
  const earned = makeEvent(1, '2026-01-05', 'staking_reward', {
    ...{ received_amount: 4_000_000n, received_denom: 'uatom', received_price: 10_000_000n },
  });
  const entriesOf = (rows: PricedEvent[], override: object) => {
    const decision = { mode: 'override', keepsTreatment: true, ...override } as const;
    const { entries } = replay([earned, ...rows], { ...noDecisions, assets: new Map([[rows.at(-1)!.id, decision]]) });
    return entries.slice(1).map((e) => [e.debit_account, e.credit_account, e.amount]);
  };
  const [swaps, coin] = ['Clearing: Swaps', 'Digital Assets: ibc/unheard'];
  for (const rows of [[whole], halves]) {
    assert.deepEqual(entriesOf(rows, { value: 5_000n }), [
      [swaps, ATOM, 4_000n],
      [swaps, 'Realized Gain/Loss', 1_000n],
      [coin, swaps, 5_000n],
    ]);
    assert.deepEqual(entriesOf(rows, { value: 5_000n, cost: 4_500n }).slice(2), [
      [coin, swaps, 4_500n],
      [UNCLASSIFIED, swaps, 500n],
    ]);
    // The proceeds are unknown, but the owner states the cost of the lot.
    assert.deepEqual(entriesOf(rows, { cost: 4_500n }), [
      [swaps, ATOM, 4_000n],
      [coin, swaps, 4_500n],
    ]);
  }
});

test('an override of returning coins is passed over, and the memo says so', () => {
  const left = { sent_amount: 4_000_000n, sent_denom: 'uatom', link: 'packet', counterparty: 'C' };
  const back = { received_amount: 4_000_000n, received_denom: 'uatom', link: 'packet', counterparty: 'C' };
  const opening = new Map([['uatom', 4_000_000n]]);
  for (const [out, into] of [
    ['ibc_out', 'ibc_refund'],
    ['gov_deposit', 'gov_refund'],
  ] as const) {
    const events = [makeEvent(1, '2026-01-05', out, left), makeEvent(2, '2026-02-10', into, back)];
    const decision = { mode: 'override', keepsTreatment: true, cost: 700n } as const;
    const decisions = { ...noDecisions, assets: new Map([[events[1]!.id, decision]]) };
    const { entries, wallet } = replay(events, decisions, undefined, opening);
    assert.match(entries.at(-1)!.memo, /asset decision passed over for what comes back/);
    assert.deepEqual(
      [...wallet.holding('uatom').lots].map(({ lot }) => lot.basis),
      [null],
    );
  }
});

test("an override with another token is valued at that token's price", () => {
  const assets = new Map([[receipt(1).id, { mode: 'override', token: 'OSMO', token_price: 500_000n } as const]]);
  const { entries } = replay([receipt(1)], { ...noDecisions, assets });
  assert.deepEqual(
    entries.map(({ memo, price }) => [memo, price]),
    [['asset decision; basis unknown; FMV 10.00', 500_000n]],
  );
});

test('an override without a cost leaves the basis unknown and shows the value', () => {
  assert.deepEqual(outcome({ mode: 'override', value_usd: '200' }), {
    entries: [[ATOM, UNCLASSIFIED, 0n, 20_000_000n, 'asset decision; basis unknown; FMV 200.00']],
    positions: [['ATOM', '20', '', '20', '2026-02-10']],
  });
});

test('tag and override: the tag decides the meaning, the override value and cost', () => {
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

test('an excluded receipt of a foreign coin has no entries, whatever its tag', () => {
  const spam = receipt(1, { received_denom: 'factory/cosmos1x/spam' });
  const { wallet, entries } = replay([spam], decided({ mode: 'exclude' }, 'income'));
  assert.deepEqual([entries, positionsOf(wallet, () => null)], [[], []]);
  assert.deepEqual(outcome({ mode: 'exclude' }), {
    entries: [[ATOM, UNCLASSIFIED, 0n, 20_000_000n, 'excluded by asset decision']],
    positions: [['ATOM', '20', '0.00', '0', '2026-02-10']],
  });
});

test('excluded coins have no lot after a contract returns them', () => {
  const spam = { sent_denom: 'factory/spam', received_denom: 'factory/spam', counterparty: 'contract' };
  const events = [
    makeEvent(1, '2026-01-05', 'transfer_in', { ...spam, sent_denom: null, received_amount: 5n }),
    makeEvent(2, '2026-01-06', 'contract_deposit', { ...spam, received_denom: null, sent_amount: 5n }),
    makeEvent(3, '2026-01-07', 'contract_withdrawal', { ...spam, sent_denom: null, received_amount: 6n }),
  ];
  const assets = new Map([[events[0]!.id, { mode: 'exclude' }]] as const);
  for (const opening of [undefined, new Map()]) {
    const { wallet, entries } = replay(events, { ...noDecisions, assets }, undefined, opening);
    assert.deepEqual(
      [...wallet.holding('factory/spam').lots].map(({ from, to }) => to - from),
      [1n], // the excess over the deposit is a receipt
    );
    assert.match(entries[1]!.memo, /^no lot for 5 factory\/spam \(by your decision\)$/);
  }
});

const OSMO = rules.denomOf('OSMO')!;
const tagFaults = (value: unknown) => {
  const read = parseTags(value, rules);
  assert.ok('errors' in read);
  return read.errors.map((fault) => fault.path);
};

test('keys of tags: hashes in either case, blocks, and denoms with colons and slashes', () => {
  const tags = parsedTags({
    [hash(0xab).toLowerCase()]: 'gift',
    [`${hash(0xab)}:${OSMO}`]: 'sale',
    'block:12': 'income',
    'block:12:factory/cosmos1x/a:b': 'airdrop',
    '381-block-74-9ehretmx2h6w-out': 'lost',
  });
  assert.deepEqual(
    [...tags].map(([hash, ofDenoms]) => [hash, ...[...ofDenoms].map(([denom, { tag }]) => [denom, tag.tag])]),
    [
      [hash(0xab), [EVERY_DENOM, 'gift'], [OSMO, 'sale']],
      ['block:12', [EVERY_DENOM, 'income'], ['factory/cosmos1x/a:b', 'airdrop']],
      ['381-block-74-9ehretmx2h6w-out', [EVERY_DENOM, 'lost']],
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
      [hash(4)]: ['gift'],
      [hash(5)]: { tag: 'bonus' },
      [hash(6)]: { tag: 'gift', value_usd: '1' },
      '1-0-out': { tag: 'sale', value_usd: 1 },
      '2-0-out': { tag: 'sale', value_usd: '-1' },
      '3-0-out': { tag: 'sale', price: '1' },
      '4-0-out': { value_usd: '1' },
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
      `/${hash(5)}/tag`,
      `/${hash(6)}/value_usd`,
      '/1-0-out/value_usd',
      '/2-0-out/value_usd',
      '/3-0-out/price',
      '/4-0-out/tag',
      `/${hash(0xa).toLowerCase()}`,
    ],
  );
  assert.deepEqual(tagFaults(JSON.parse('{"__proto__": "gift"}')), ['/__proto__']);
  assert.deepEqual(tagFaults({ [hash(1)]: 'constructor' }), [`/${hash(1)}`]);
});
