import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parsePayouts, serializePayouts, sumPayouts } from '../../pipeline/wallet-index/payouts-format.js';
import type { ValidatorPayout } from '../../schemas/types.generated.js';

const payout = (day: string, address: string, more: Partial<ValidatorPayout> = {}): ValidatorPayout => ({
  validator: 'cosmosvaloper1a',
  day,
  category: 'staking_reward',
  address,
  last_height: 1,
  amount: 1_000_000n,
  usd: 200n,
  payouts: 1,
  ...more,
});

test('a day keeps commission and rewards apart; without a price it counts, with nothing', () => {
  const rows = [
    payout('2026-01-05', 'alice', { payouts: 2 }),
    payout('2026-01-05', 'bob', { amount: 5n, usd: 0n }),
    payout('2026-01-05', 'operator', { category: 'validator_commission', amount: 7_000_000n, usd: 1400n }),
    payout('2026-01-06', 'alice', { usd: null }),
  ];
  const days = parsePayouts(serializePayouts(rows, new Map()));
  assert.deepEqual(days[0], {
    day: '2026-01-05',
    commission: 7_000_000n,
    commissionUsd: 1400n,
    rewards: 1_000_005n,
    rewardsUsd: 200n,
    rewardEvents: 3,
    priced: true,
    delegators: [0, 1],
  });
  assert.deepEqual(sumPayouts(days), {
    commission: 7_000_000n,
    commissionUsd: 1400n,
    rewards: 2_000_005n,
    rewardsUsd: 200n,
    rewardEvents: 4,
    uniqueDelegators: 2,
    priceMissingDays: 1,
    priceMissingEvents: 1,
  });
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
      const numbers = new Map<string, number>();
      const parts = [rows.filter(({ day }) => day < edge), rows.filter(({ day }) => day >= edge)];
      const days = parts.flatMap((part) => parsePayouts(serializePayouts(part, numbers)));
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
