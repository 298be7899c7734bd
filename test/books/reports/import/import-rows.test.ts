/** Compares import rows with the replay: their sum must be the wallet's holdings. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Decisions, noDecisions } from '../../../../pipeline/books/ledger/decisions.js';
import { replayWallet, WalletState } from '../../../../pipeline/books/ledger/replay.js';
import type { Kind } from '../../../../pipeline/books/reports/event-row.js';
import { type ImportRow, importRows } from '../../../../pipeline/books/reports/import/import-rows.js';
import { USUAL } from '../../../../pipeline/books/terms.js';
import type { PricedEvent } from '../../../../schemas/types.generated.js';
import { DENOMS, stories } from '../../ledger/random-wallets.js';
import { makeEvent, rules, tagsOf } from '../../ledger/wallets.js';

const ALWAYS = { from: '0000-01-01 00:00:00', to: '9999-12-31 23:59:59' };

const isIncluded = (kind: Kind): boolean => kind !== 'excluded';
const CONTEXT = { context: { rules, monikerOf: () => '' }, isIncluded };
const walletOf = (events: readonly PricedEvent[]) => ({ events: () => events, opening: undefined });

function rowsOf(events: readonly PricedEvent[], decisions: Decisions = noDecisions, range = ALWAYS): ImportRow[] {
  return [...importRows([walletOf(events)], { ...CONTEXT, decisions, range })];
}

/** Rows as `kind sent>received`, amounts in base units. */
const shown = (events: readonly PricedEvent[]) =>
  rowsOf(events).map(({ kind, sent, received }) => `${kind} ${sent?.units ?? ''}>${received?.units ?? ''}`);

const received = (height: number, category: string, amount: bigint, more: Partial<PricedEvent> = {}) =>
  makeEvent(height, '2026-01-05', category, { received_amount: amount, received_denom: 'uatom', ...more });
const sent = (height: number, category: string, amount: bigint, more: Partial<PricedEvent> = {}) =>
  makeEvent(height, '2026-01-05', category, { sent_amount: amount, sent_denom: 'uatom', ...more });

test('omits stake that stays in the wallet', () => {
  assert.deepEqual(shown([sent(1, 'delegate', 5n), received(2, 'unbonding_complete', 5n)]), []);
});

test('omits a returned deposit; an excess is a receipt', () => {
  const there = { counterparty: 'contract' };
  assert.deepEqual(shown([sent(1, 'contract_deposit', 5n, there), received(2, 'contract_withdrawal', 7n, there)]), [
    'transfer >2',
  ]);
});

test('a value stated for a withdrawal applies to the excess, as in the journal (R7)', () => {
  const there = { counterparty: 'contract' };
  const events = [sent(1, 'contract_deposit', 5n, there), received(2, 'contract_withdrawal', 7n, there)];
  const stated = { mode: 'override', value: 10_000n, keepsTreatment: true } as const;
  const decisions = { ...noDecisions, assets: new Map([[events[1]!.id, stated]]) };
  assert.deepEqual(
    rowsOf(events, decisions).map(({ received, value }) => `${received?.units} ${value}`),
    ['2 100.00'],
  );
  const wallet = new WalletState({ ...USUAL, rules });
  const entries = [...replayWallet(events, decisions, wallet)];
  assert.match(entries.at(-1)!.memo, /FMV 100\.00$/);
});

test('a burned deposit is a loss of the deposited coins', () => {
  const there = { counterparty: 'gov' };
  assert.deepEqual(shown([sent(1, 'gov_deposit', 5n, there), sent(2, 'gov_deposit_burned', 9n, there)]), ['lost 5>']);
});

test('omits a refunded packet; a refund of another amount is a receipt', () => {
  assert.deepEqual(shown([sent(1, 'ibc_out', 5n, { link: 'p' }), received(2, 'ibc_refund', 5n, { link: 'p' })]), []);
  assert.deepEqual(shown([sent(1, 'ibc_out', 5n, { link: 'p' }), received(2, 'ibc_refund', 4n, { link: 'p' })]), [
    'transfer 5>',
    'transfer >4',
  ]);
});

test('omits a packet that was refunded in another year, in the files of both years', () => {
  const events = [
    sent(1, 'ibc_out', 5n, { link: 'p', time: '2025-12-30 12:00:00' }),
    received(2, 'ibc_refund', 5n, { link: 'p', time: '2026-01-02 12:00:00' }),
  ];
  for (const year of ['2025', '2026']) {
    const range = { from: `${year}-01-01 00:00:00`, to: `${year}-12-31 23:59:59` };
    assert.deepEqual(rowsOf(events, noDecisions, range), []);
  }
});

test('coins from before the index are receipts, stated lots with their day and cost', () => {
  const opening = new Map([
    ['uatom', 100n],
    ['factory/cosmos1x/unlisted', 7n],
    ['uosmo', 3n],
  ]);
  const lot = (denom: string, quantity: bigint, acquired: string, basis: bigint) => ({
    ...{ address: undefined, denom, quantity, acquired, basis },
  });
  const lots = [lot('uatom', 30n, '2024-03-01', 1250n), lot('uosmo', 3n, '2023-01-01', 0n)];
  const receipts = { address: 'A', day: '2025-12-31', lots };
  const spent = sent(1, 'transfer_out', 120n);
  const rows = [
    ...importRows([{ ...walletOf([spent]), opening, receipts }], {
      ...CONTEXT,
      decisions: noDecisions,
      range: ALWAYS,
    }),
  ];
  assert.deepEqual(
    rows.map(({ row, kind, received, sent, value }) =>
      [row.event.time, kind, `${sent?.units ?? ''}>${received?.units ?? ''}`, received?.unlisted, value].join(' '),
    ),
    [
      '2023-01-01 00:00:00 purchase >3 1 0.00',
      '2024-03-01 00:00:00 purchase >30  12.50',
      '2025-12-31 00:00:00 transfer >70  ',
      '2025-12-31 00:00:00 transfer >7 2 ',
      '2026-01-05 12:00:00 transfer 120>  ',
    ],
  );
  assert.equal(new Set(rows.map(({ row }) => row.event.id)).size, rows.length);
});

test('of successive files, only the file with the first row has the coins from before the index', () => {
  const opening = new Map([['uatom', 100n]]);
  const receipts = { address: 'A', day: '2025-12-31', lots: [] };
  const kinds = (events: readonly PricedEvent[], from: string, to: string) =>
    [
      ...importRows([{ ...walletOf(events), opening, receipts }], {
        ...CONTEXT,
        decisions: noDecisions,
        range: { from: `${from} 00:00:00`, to: `${to} 23:59:59` },
      }),
    ].map(({ row }) => row.category.category);
  const events = [sent(1, 'transfer_out', 1n, { time: '2026-02-05 12:00:00' })];
  assert.deepEqual(kinds(events, '2025-01-01', '2025-12-31'), []);
  assert.deepEqual(kinds(events, '2026-01-01', '2026-12-31'), ['opening_lot', 'transfer_out']);
  assert.deepEqual(kinds(events, '2026-03-01', '2026-12-31'), []);
  assert.deepEqual(kinds([], '2025-01-01', '2025-12-31'), ['opening_lot']);
  assert.deepEqual(kinds([], '2026-01-01', '2026-12-31'), []);
});

test('merges the halves of a swap at the received value', () => {
  const swap = { link: 's', tx_hash: 'F'.repeat(64) };
  const gave = sent(1, 'swap', 5_000_000n, { ...swap, id: '1-a', sent_price: 2_000_000n });
  const got = received(1, 'swap', 3_000_000n, { ...swap, id: '1-b', received_price: 3_000_000n });
  assert.deepEqual(shown([gave, got]), ['trade 5000000>3000000']);
  assert.equal(rowsOf([gave, got])[0]!.value, '9.00');
  assert.deepEqual(shown([gave]), ['sale 5000000>']);
});

test('the value that the owner states for a row, or for one half of a swap, is the exported value', () => {
  const halves = { link: 'swap', tx_hash: 'T' };
  const gave = sent(1, 'swap', 5n, { ...halves, sent_price: 10_000_000n });
  const got = received(2, 'swap', 7n, { ...halves, received_denom: 'uosmo', received_price: 10_000_000n });
  const sold = sent(3, 'transfer_out', 5n);
  const valuesOf = (...stated: PricedEvent[]) => {
    const override = { mode: 'override', keepsTreatment: true, value: 1234n } as const;
    const decisions = { ...noDecisions, assets: new Map(stated.map(({ id }) => [id, override])) };
    return rowsOf([gave, got, sold], decisions).map(({ value }) => value);
  };
  assert.deepEqual(valuesOf(), ['70.00', '']);
  for (const half of [gave, got]) assert.deepEqual(valuesOf(half, sold), ['12.34', '12.34']);
});

test('distinguishes transfers to an own key from payments, and omits zero rewards', () => {
  assert.deepEqual(shown([sent(1, 'ibc_out', 5n, { to_own_key: true }), received(2, 'staking_reward', 0n)]), [
    'own_key 5>',
  ]);
});

test('numbers unlisted denoms from the first row, also for a later range', () => {
  const coins = ['factory/a', 'factory/b'].map((received_denom, i) =>
    makeEvent(i + 1, `2026-01-0${i + 1}`, 'transfer_in', { received_amount: 1n, received_denom }),
  );
  const late = rowsOf(coins, noDecisions, { ...ALWAYS, from: '2026-01-02 00:00:00' });
  assert.deepEqual(
    late.map((row) => row.received!.unlisted),
    [2],
  );
});

test('an unlisted denom has one number in all files of the same wallets', () => {
  const wallet = (...coins: [height: number, denom: string][]) =>
    coins.map(([height, denom]) =>
      received(height, 'transfer_in', 1n, { received_denom: `factory/${denom}`, time: `2026-01-0${height} 00:00:00` }),
    );
  const wallets = [wallet([1, 'a'], [4, 'd']), wallet([3, 'c'], [5, 'a']), wallet([2, 'b'], [6, 'c'])];
  const numbers = (range: Partial<typeof ALWAYS>) => {
    const options = { ...CONTEXT, decisions: noDecisions, range: { ...ALWAYS, ...range } };
    const rows = [...importRows(wallets.map(walletOf), options)];
    const coins = rows.flatMap(({ received }) => received ?? []);
    return coins.map(({ denom, unlisted }) => `${denom.slice(-1)}${unlisted}`);
  };
  assert.deepEqual(numbers({}), ['a1', 'b2', 'c3', 'd4', 'a1', 'c3']);
  assert.deepEqual(numbers({ to: '2026-01-02 23:59:59' }), ['a1', 'b2']);
  assert.deepEqual(numbers({ from: '2026-01-04 00:00:00' }), ['d4', 'a1', 'c3']);
});

test('merges wallets by time', () => {
  const wallet = (...days: string[]) =>
    walletOf(days.map((day, i) => received(i + 1, 'transfer_in', 1n, { time: `${day} 12:00:00` })));
  const wallets = [wallet('2026-01-01', '2026-01-04'), wallet(), wallet('2026-01-02', '2026-01-03')];
  const merged = [...importRows(wallets, { ...CONTEXT, decisions: noDecisions, range: ALWAYS })];
  assert.deepEqual(
    merged.map(({ row }) => row.event.time.slice(8, 10)),
    ['01', '02', '03', '04'],
  );
});

test("rows add up to the wallet's holdings and deposits", () => {
  const plenty = 10n ** 12n;
  fc.assert(
    fc.property(stories(true), ({ events, decisions }) => {
      const wallet = new WalletState({ ...USUAL, rules, opening: new Map(DENOMS.map((denom) => [denom, plenty])) });
      for (const _ of replayWallet(events, decisions, wallet));
      const rows = rowsOf(events, decisions);
      for (const denom of DENOMS) {
        const holding = wallet.holding(denom);
        const escrows = [...wallet.escrows].filter(([key]) => key.endsWith(` ${denom}`)).map(([, lots]) => lots);
        const places = [holding.lots, ...escrows].flatMap((lots) => [...lots]);
        const held = places.reduce((sum, { from, to }) => sum + to - from, -plenty - holding.unmatched);
        const units = (coin: ImportRow['sent']) => (coin?.denom === denom ? coin.units : 0n);
        const moved = rows.reduce((sum, row) => sum + units(row.received) - units(row.sent), 0n);
        assert.equal(moved, held, denom);
      }
    }),
  );
});

test('omits an excluded receipt whatever its tag', () => {
  const spam = makeEvent(1, '2026-01-05', 'transfer_in', { received_amount: 5n, received_denom: 'factory/spam' });
  const tags = tagsOf([spam], { [spam.tx_hash]: 'gift' });
  assert.equal(rowsOf([spam], { tags, assets: new Map() }).length, 1);
  assert.equal(rowsOf([spam], { tags, assets: new Map([[spam.id, { mode: 'exclude' }]]) }).length, 0);
});

/** Returns the rows after excluded spam was received and its owner's `then` rows followed. */
function excludedThen(...then: readonly PricedEvent[]): string[] {
  const spam = received(1, 'transfer_in', 5n, { received_denom: SPAM, id: 'spam' });
  const decisions = { ...noDecisions, assets: new Map([['spam', { mode: 'exclude' }]] as const) };
  return rowsOf([spam, ...then], decisions).map(
    ({ kind, sent, received }) => `${kind} ${sent?.units ?? ''}>${received?.units ?? ''}`,
  );
}

const SPAM = 'factory/spam';
const ofSpam = { sent_denom: SPAM, sent_price: null };

test('omits excluded coins when they arrive and when they leave, so that no balance is negative', () => {
  assert.deepEqual(excludedThen(sent(2, 'transfer_out', 3n, ofSpam), sent(3, 'transfer_out', 2n, ofSpam)), []);
  // Other coins of that denom leave first, as in the replay; coins of unknown origin leave last.
  const kept = received(2, 'transfer_in', 1n, { received_denom: SPAM });
  assert.deepEqual(excludedThen(kept, sent(3, 'transfer_out', 4n, ofSpam), sent(4, 'transfer_out', 4n, ofSpam)), [
    'transfer >1',
    'transfer 1>',
    'transfer 2>',
  ]);
  // A sale of them is a purchase of the coins received.
  assert.deepEqual(excludedThen(sent(2, 'swap', 5n, { ...ofSpam, received_amount: 7n, received_denom: 'uatom' })), [
    'purchase >7',
  ]);
  // A stay in a contract does not change this.
  const there = { counterparty: 'contract' };
  assert.deepEqual(
    excludedThen(
      sent(2, 'contract_deposit', 5n, { ...ofSpam, ...there }),
      received(3, 'contract_withdrawal', 5n, { received_denom: SPAM, ...there }),
      sent(4, 'transfer_out', 5n, ofSpam),
    ),
    [],
  );
});

test('opening coins leave before excluded coins, and a range accounts for earlier omissions', () => {
  const spam = received(1, 'transfer_in', 5n, { received_denom: SPAM, id: 'spam' });
  const paid = makeEvent(2, '2026-01-06', 'transfer_out', { sent_amount: 7n, sent_denom: SPAM });
  const decisions = { ...noDecisions, assets: new Map([['spam', { mode: 'exclude' }]] as const) };
  const range = { ...ALWAYS, from: '2026-01-06 00:00:00' };
  const wallet = { events: () => [spam, paid], opening: new Map([[SPAM, 4n]]) };
  assert.deepEqual(
    [...importRows([wallet], { ...CONTEXT, decisions, range })].map(({ sent }) => sent?.units),
    [4n],
  );
});

test('coins that an override replaces leave no balance of the original denom', () => {
  const fake = received(1, 'transfer_in', 5n, { received_denom: SPAM, id: 'spam' });
  const override = { mode: 'override', token: 'ATOM', quantity: '0.000002' } as const;
  const rows = rowsOf([fake, sent(2, 'transfer_out', 5n, ofSpam)], {
    ...noDecisions,
    assets: new Map([['spam', override]]),
  });
  assert.deepEqual(
    rows.map(({ sent, received }) => [sent?.denom, received?.denom, received?.units]),
    [[undefined, 'uatom', 2n]],
  );
});

test("without ignored rows, no balance falls below the wallet's movements", () => {
  const withoutIgnored = { ...CONTEXT, isIncluded: (kind: Kind) => kind !== 'ignore' && kind !== 'excluded' };
  fc.assert(
    fc.property(stories(true), ({ events, decisions }) => {
      const lowest = (sources: typeof CONTEXT) => {
        const sums = new Map<string, bigint>();
        const low = new Map<string, bigint>(DENOMS.map((denom) => [denom, 0n]));
        const add = (denom: string, units: bigint) => {
          const sum = (sums.get(denom) ?? 0n) + units;
          sums.set(denom, sum);
          if (sum < low.get(denom)!) low.set(denom, sum);
        };
        for (const row of importRows([walletOf(events)], { ...sources, decisions, range: ALWAYS })) {
          if (row.received) add(row.received.denom, row.received.units);
          if (row.sent) add(row.sent.denom, -row.sent.units);
        }
        return low;
      };
      const [all, told] = [lowest({ ...CONTEXT, isIncluded: () => true }), lowest(withoutIgnored)];
      for (const denom of DENOMS) assert.ok(told.get(denom)! >= all.get(denom)!, denom);
    }),
  );
});
