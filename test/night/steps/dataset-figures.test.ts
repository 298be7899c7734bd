/** Figures for the manifest, from tables as the night makes them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDecimal } from '../../../pipeline/base/values/amount.js';
import { datasetFigures, FIGURES, figureParameters } from '../../../pipeline/night/steps/dataset-figures.js';
import { loadReference } from '../../../pipeline/reference.js';
import type { ChainEvent, Price } from '../../../schemas/types.generated.js';
import { makeEvent } from '../../books/ledger/wallets.js';
import { account, chain } from '../../classify/events.js';
import { openDatabase } from '../../open-database.js';

const reference = loadReference();
const [alice, proposer] = [account('alice'), account('proposer')];
const [collector] = chain.feeCollectors;

async function figuresOf(events: readonly ChainEvent[], prices: readonly Price[]) {
  const database = await openDatabase({ threads: 1 });
  try {
    await database.create('chain_events');
    await database.append('chain_events', events);
    await database.create('prices');
    await database.append('prices', prices);
    await database.run('tables/priced_events');
    await database.accumulate('priced_events', [], 'month_events');
    await database.create('chain_events', 'whole_blocks');
    for (const file of ['month_figures', 'unsolicited_receipts'])
      await database.run(`tables/${file}`, figureParameters(reference));
    for (const table of FIGURES) await database.accumulate(`month_${table}`, [], table);
    await database.execute('create table long_accounts (address varchar, month varchar, height bigint)');
    return await datasetFigures(database, reference);
  } finally {
    database.close();
  }
}

const row = (height: number, day: string, category: string, more: Partial<ChainEvent>): ChainEvent => {
  const { sent_price, received_price, fee_price, ...event } = makeEvent(height, day, category, more);
  return event;
};
const price = (denom: string, day: string, usd: string): Price => ({
  denom,
  day,
  usd: parseDecimal(usd, 6),
  found: true,
  sources: 'test',
  rejected: '',
  quotes: '',
  methodology_version: '1.1.0',
});
const received = (denom: string, amount: bigint) => ({
  address: alice,
  received_denom: denom,
  received_amount: amount,
});

test('a consensus address that is paid tips is no wallet, whatever else it gets', async () => {
  const tip = { address: proposer, received_denom: 'uatom', received_amount: 7n, counterparty: collector! };
  const gift = { ...tip, counterparty: alice };
  const { wallets } = await figuresOf(
    [
      row(1, '2026-01-01', 'transfer_in', tip),
      row(2, '2026-01-01', 'transfer_in', gift),
      row(3, '2026-01-01', 'transfer_out', {
        address: alice,
        sent_denom: 'uatom',
        sent_amount: 7n,
        counterparty: proposer,
      }),
      row(4, '2026-01-01', 'transfer_in', { ...received('uatom', 1n), counterparty: null }),
    ],
    [],
  );
  assert.equal(wallets, 1);
});

test('what has the price of its day, what would have one on another, and what never had', async () => {
  const osmo = reference.assets.find(({ symbol }) => symbol === 'OSMO')!.denom;
  const huge = 10n ** 37n;
  const { price_coverage } = await figuresOf(
    [
      row(1, '2026-01-01', 'staking_reward', received('uatom', 3_000_000n)),
      row(2, '2026-01-02', 'staking_reward', received('uatom', 1_000_000n)), // its price is that of the day before
      row(3, '2026-01-02', 'fee', { address: alice, fee_denom: 'uatom', fee_amount: 500_000n }),
      row(4, '2026-02-03', 'swap', { ...received('uatom', 1_000_000n), sent_denom: osmo, sent_amount: 2_000_000n }),
      row(5, '2026-02-03', 'transfer_in', received('factory/x/spam', huge)),
      row(6, '2026-02-03', 'transfer_in', received('factory/x/spam', huge * 9n)),
      row(7, '2026-02-03', 'delegate', { address: alice, sent_denom: 'uatom', sent_amount: 9_000_000n }), // not taxable
    ],
    [price('uatom', '2026-01-01', '2.00'), price('uatom', '2026-02-03', '4.00')],
  );
  const never = { value_usd: '0.00', estimated_usd: '0.00', share: null, priced_legs: 0 };
  assert.deepEqual(price_coverage, {
    total: {
      legs: 7,
      priced_legs: 2,
      never_priced_legs: 3,
      value_usd: '10.00',
      estimated_usd: '3.00',
      share: '0.7692',
    },
    months: [
      {
        month: '2026-01',
        coverage: {
          legs: 3,
          priced_legs: 1,
          never_priced_legs: 0,
          value_usd: '6.00',
          estimated_usd: '3.00',
          share: '0.6667',
        },
      },
      {
        month: '2026-02',
        coverage: {
          legs: 4,
          priced_legs: 1,
          never_priced_legs: 3,
          value_usd: '4.00',
          estimated_usd: '0.00',
          share: '1',
        },
      },
    ],
    denoms: [
      { denom: osmo, coverage: { legs: 1, never_priced_legs: 1, ...never } },
      {
        denom: 'uatom',
        coverage: {
          legs: 4,
          priced_legs: 2,
          never_priced_legs: 0,
          value_usd: '10.00',
          estimated_usd: '3.00',
          share: '0.7692',
        },
      },
      { denom: null, coverage: { legs: 2, never_priced_legs: 2, ...never } },
    ],
  });
});

test('of two days alike near the earlier one gives the price', async () => {
  const { price_coverage } = await figuresOf(
    [row(1, '2026-01-02', 'staking_reward', received('uatom', 1_000_000n))],
    [price('uatom', '2026-01-01', '2.00'), price('uatom', '2026-01-03', '4.00')],
  );
  assert.deepEqual([price_coverage.total.estimated_usd, price_coverage.total.share], ['2.00', '0']);
});

test('without a taxable row there is no share', async () => {
  const { price_coverage, wallets } = await figuresOf([], []);
  assert.deepEqual([wallets, price_coverage.total.share, price_coverage.months], [0, null, []]);
});
