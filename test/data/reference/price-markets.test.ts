import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadReference } from '../../../pipeline/reference.js';

const { assets, methodology, priceMarkets } = loadReference();

test('a market is of a known asset and a source of the methodology, one for each pair', () => {
  const { markets } = priceMarkets;
  const ids = new Set(assets.map(({ coingecko_id }) => coingecko_id));
  for (const { asset, source, market, quote } of markets) {
    assert.ok(ids.has(asset), asset);
    assert.ok(methodology.parameters.sources.includes(source), source);
    assert.ok(market.endsWith(quote), `${market} has prices in ${quote}`);
  }
  assert.equal(new Set(markets.map(({ asset, source }) => `${asset} ${source}`)).size, markets.length);
});
