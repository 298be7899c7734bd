import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { accruedFormat, payoutsFormat, sumPayouts } from '../../../pipeline/publish/wallet-index/payouts-format.js';
import type { ValidatorPayout } from '../../../schemas/types.generated.js';

const payout = (day: string, address: string, more: Partial<ValidatorPayout> = {}): ValidatorPayout => ({
  validator: 'cosmosvaloper1a',
  day,
  category: 'staking_reward',
  address,
  denom: 'uatom',
  last_height: 1,
  amount: 1_000_000n,
  usd: 200n,
  payouts: 1,
  ...more,
});

const paying = () => ({ native: 'uatom', account: 'operator', numbers: new Map<string, number>() });

test('a day keeps commission and rewards apart; without a price it counts, with nothing', () => {
  const rows = [
    payout('2026-01-05', 'alice', { payouts: 2 }),
    payout('2026-01-05', 'bob', { amount: 5n, usd: 0n }),
    payout('2026-01-05', 'operator', { category: 'validator_commission', amount: 7_000_000n, usd: 1400n }),
    payout('2026-01-06', 'alice', { usd: null }),
  ];
  const days = payoutsFormat.parse(payoutsFormat.serialize(rows, paying()));
  assert.deepEqual(days[0], {
    day: '2026-01-05',
    commission: 7_000_000n,
    commissionUsd: 1400n,
    rewards: 1_000_005n,
    rewardsUsd: 200n,
    selfRewards: 0n,
    selfRewardsUsd: 0n,
    rewardEvents: 3,
    priced: true,
    delegators: [0, 1],
    otherCommission: [],
  });
  assert.deepEqual(sumPayouts(days), {
    commission: 7_000_000n,
    commissionUsd: 1400n,
    rewards: 2_000_005n,
    rewardsUsd: 200n,
    selfRewards: 0n,
    selfRewardsUsd: 0n,
    rewardEvents: 4,
    uniqueDelegators: 2,
    priceMissingDays: 1,
    priceMissingEvents: 1,
    otherCommission: [],
  });
});

test('rewards of the own delegation are a part of all, and commission in other denoms is added up beside the native coin', () => {
  const commission = (day: string, denom: string, amount: bigint, usd: bigint | null) =>
    payout(day, 'operator', { category: 'validator_commission', denom, amount, usd });
  const rows = [
    payout('2026-01-05', 'alice'),
    payout('2026-01-05', 'operator', { amount: 3n, usd: 7n }),
    commission('2026-01-05', 'ibc/B', 5n, 1n),
    commission('2026-01-05', 'ibc/A', 8n, null),
    commission('2026-01-06', 'ibc/B', 6n, null),
  ];
  const sum = sumPayouts(payoutsFormat.parse(payoutsFormat.serialize(rows, paying())));
  assert.deepEqual([sum.rewards, sum.rewardsUsd, sum.selfRewards, sum.selfRewardsUsd], [1_000_003n, 207n, 3n, 7n]);
  assert.deepEqual([sum.commission, sum.priceMissingDays, sum.rewardEvents], [0n, 0, 2]);
  assert.deepEqual(sum.otherCommission, [
    { denom: 'ibc/A', amount: 8n, usd: 0n, unpriced: 8n },
    { denom: 'ibc/B', amount: 11n, usd: 1n, unpriced: 6n },
  ]);
});

test('commission at the end of each month is found by the month, nothing as no coins', () => {
  const rows = [
    { day: '2026-01-31', commission: '5factory/a/1b,12uatom' },
    { day: '2026-02-27', commission: '' },
  ];
  const accrued = accruedFormat.parse(accruedFormat.serialize(rows));
  assert.deepEqual([...accrued.keys()], ['2026-01', '2026-02']);
  assert.deepEqual(accrued.get('2026-01'), {
    day: '2026-01-31',
    coins: new Map([
      ['factory/a/1b', 5n],
      ['uatom', 12n],
    ]),
  });
  assert.deepEqual(accrued.get('2026-02'), { day: '2026-02-27', coins: new Map() });
});

const anyRows = fc
  .uniqueArray(fc.tuple(fc.integer({ min: 1, max: 28 }), fc.integer({ min: 0, max: 12 })), {
    selector: ([day, who]) => `${day} ${who}`,
    maxLength: 40,
  })
  .map((pairs) => pairs.sort((a, b) => a[0] - b[0]).map(([day, who]) => payout(`2026-02-${10 + day}`, `d${who}`)));

test('texts made one after the other count a delegator once', () => {
  fc.assert(
    fc.property(anyRows, fc.nat(40), (rows, cut) => {
      const edge = rows[cut % (rows.length + 1)]?.day ?? '';
      const validator = paying();
      const parts = [rows.filter(({ day }) => day < edge), rows.filter(({ day }) => day >= edge)];
      const days = parts.flatMap((part) => payoutsFormat.parse(payoutsFormat.serialize(part, validator)));
      const sum = sumPayouts(days);
      assert.equal(sum.uniqueDelegators, new Set(rows.map(({ address }) => address)).size);
      assert.equal(sum.rewards, BigInt(rows.length) * 1_000_000n);
      assert.deepEqual(
        days.map(({ day }) => day),
        [...new Set(rows.map(({ day }) => day))],
      );
    }),
  );
});
