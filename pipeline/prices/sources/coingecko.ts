import { addDays, DAY_MS, dayOf, startOf } from '../../base/values/day.js';
import type { Decimal } from '../../base/values/decimal.js';
import { fetchText, MarketFailure, type MarketSource, parsePrice, type SourceContext } from '../market-source.js';

const URL_OF_COINS = 'https://api.coingecko.com/api/v3/coins';

/**
 * Shortest range to request, in days. CoinGecko returns daily prices only for ranges of more than 90 days. Without an
 * API key, it returns only the last 365 days.
 */
const RANGE_DAYS_MIN = 92;
const DAYS_BACK = 364;

/** Matches [milliseconds, price] in the JSON text, because JSON.parse would round prices. */
const POINT = /\[\s*(\d+)\s*,\s*([\d.eE+-]+)\s*\]/g;

export function coingeckoSource({ assets, today, fetch }: SourceContext): MarketSource {
  const ids = new Set(assets.flatMap(({ coingecko_id }) => coingecko_id ?? []));
  return {
    name: 'coingecko',
    async quotes(asset, from, to) {
      if (!ids.has(asset)) return undefined;
      const until = addDays(to, 1);
      const wide = addDays(until, -RANGE_DAYS_MIN);
      const [earlier] = [from, wide].sort();
      const [, first] = [earlier!, addDays(today, -DAYS_BACK)].sort();
      const [start, end] = [startOf(first!) / 1000, startOf(until) / 1000 + 3600];
      const path = `${URL_OF_COINS}/${encodeURIComponent(asset)}/market_chart/range`;
      const url = `${path}?vs_currency=usd&from=${start}&to=${end}&precision=full`;
      return { market: asset, usd: closesOf(await fetchText('coingecko', url, fetch), from, to) };
    },
  };
}

/** Returns closing prices by day. The price at midnight is the closing price of the day that has just ended. */
function closesOf(text: string, from: string, to: string): Map<string, Decimal> {
  const prices = /"prices"\s*:\s*\[((?:\s*\[[^\]]*\]\s*,?)*)\s*\]/.exec(text)?.[1];
  if (prices === undefined) throw new MarketFailure('coingecko: its answer has no prices', false);
  const closes = new Map<string, Decimal>();
  for (const [, time, price] of prices.matchAll(POINT)) {
    if (Number(time) % DAY_MS !== 0) continue;
    const day = dayOf(Number(time) - DAY_MS);
    if (day >= from && day <= to) closes.set(day, parsePrice(price!));
  }
  return closes;
}
