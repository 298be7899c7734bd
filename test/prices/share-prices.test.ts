import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ShareRate, ShareRates, sharePrices } from '../../pipeline/prices/share-prices.js';
import type { Price } from '../../schemas/types.generated.js';

const [first, second] = ['cosmosvaloper1first', 'cosmosvaloper1second'];
const share = (validator: string, record: number) => ({ denom: `${validator}/${record}`, validator });

const close = (validator: string, day: string, tokens: bigint, shares: bigint): ShareRate => {
  return { validator, day, tokens, shares: shares * 10n ** 18n };
};
const coin = (day: string, usd: bigint): Price => {
  return { denom: 'uatom', day, usd, sources: 'a,b', rejected: 'c', methodology_version: '1.0.0' };
};

const rates = new ShareRates([
  close(first, '2026-01-01', 1_000n, 1_000n),
  close(second, '2026-01-01', 999n, 1_000n),
  close(first, '2026-01-03', 2n, 3n), // slashed
]);

const usd = (prices: readonly Price[]) => prices.map(({ denom, day, usd: micro }) => [denom, day, micro]);

test('a share costs the coin times what it redeems, half up to six places', () => {
  const prices = sharePrices(
    [share(first, 7)],
    [coin('2026-01-01', 4_000_000n), coin('2026-01-03', 2_500_001n)],
    rates,
  );
  assert.deepEqual(usd(prices), [
    [`${first}/7`, '2026-01-01', 4_000_000n],
    [`${first}/7`, '2026-01-03', 1_666_667n],
  ]);
  assert.deepEqual(
    prices.map(({ rejected, methodology_version }) => [rejected, methodology_version]),
    [
      ['', '1.0.0'],
      ['', '1.0.0'],
    ],
  );
  assert.match(prices[0]!.sources, /tokens per share/);
  // 0.999 × 0.500500 is 0.4999995: half up.
  assert.equal(sharePrices([share(second, 1)], [coin('2026-01-01', 500_500n)], rates)[0]!.usd, 500_000n);
});

test('a day without blocks stands as the day before it', () => {
  const prices = sharePrices([share(second, 1)], [coin('2026-01-02', 1_000_000n)], rates);
  assert.deepEqual(usd(prices), [[`${second}/1`, '2026-01-02', 999_000n]]);
});

test('no price from the day on which a validator may have been slashed that holdings do not reach', () => {
  const days = ['2026-01-03', '2026-01-04', '2026-01-05', '2026-01-06'].map((day) => coin(day, 3_000_000n));
  const rows = [close(first, '2026-01-03', 2n, 3n)];
  assert.deepEqual(usd(sharePrices([share(first, 1)], days, new ShareRates(rows, '2026-01-05'))), [
    [`${first}/1`, '2026-01-03', 2_000_000n],
    [`${first}/1`, '2026-01-04', 2_000_000n],
  ]);
  assert.equal(sharePrices([share(first, 1)], days, new ShareRates(rows, null)).length, 4);
});

test('no price before the first close, without a price of the coin, of a removed validator, or of less than a millionth', () => {
  const days = [coin('2025-12-31', 1_000_000n), coin('2026-01-04', 1_000_000n)];
  assert.deepEqual(sharePrices([share(second, 1)], days, rates), []);
  assert.deepEqual(sharePrices([share(first, 1)], [], rates), []);
  const worthless = new ShareRates([close(first, '2026-01-01', 1n, 3_000_000n)]);
  assert.deepEqual(sharePrices([share(first, 1)], [coin('2026-01-01', 1_000_000n)], worthless), []);
});
