import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Decimal } from '../../pipeline/ledger/decimal.js';
import { collectMarket } from '../../pipeline/prices/collect-market.js';
import { CollectedQuotes } from '../../pipeline/prices/collected-quotes.js';
import type { MarketSource } from '../../pipeline/prices/market-source.js';
import { loadReference } from '../../pipeline/reference.js';

const DAY = '2026-01-02';

test('a quote is kept with 18 decimal places, rounded once, and read back as it was kept', async () => {
  const closes = { exact: '2.05', long: '0.1234567890123456785', tiny: '0.0000000000000000004' };
  const source: MarketSource = {
    name: 'kraken',
    quotes: async (asset) => ({
      market: asset,
      usd: new Map([[DAY, new Decimal(closes[asset as keyof typeof closes])]]),
    }),
  };
  const rows = await collectMarket({
    sources: [source],
    assets: Object.keys(closes),
    collected: new CollectedQuotes([]),
    known: async () => new Map(),
    parameters: loadReference().methodology.parameters,
    from: DAY,
    to: DAY,
    now: new Date('2026-01-03T01:00:00Z'),
    onFailure: assert.fail,
  });
  assert.deepEqual(
    rows.map(({ usd }) => usd),
    [2_050_000_000_000_000_000n, 123_456_789_012_345_679n, 0n],
  );
  const kept = new CollectedQuotes(rows);
  assert.equal(kept.quotes('kraken', 'exact').get(DAY)!.usd.toFixed(), '2.05');
  assert.equal(kept.quotes('kraken', 'long').get(DAY)!.usd.toFixed(), '0.123456789012345679');
});
