import { isRecord } from '../../base/json/exact-json.js';
import { addDays, DAY_MS, dayOf, startOf } from '../../base/values/day.js';
import type { Decimal } from '../../base/values/decimal.js';
import { MarketClient, type RefusalFormat, wordIn } from '../market-client.js';
import { MarketFailure, type MarketSource, parsePrice, type SourceContext } from '../market-source.js';

const NAME = 'coingecko';
const URL_OF_COINS = 'https://api.coingecko.com/api/v3/coins';
const PAUSE_MS = 200;

/**
 * Shortest range to request, in days. CoinGecko returns daily prices only for ranges of more than 90 days. Without an
 * API key, it returns only the last 365 days.
 */
const RANGE_DAYS_MIN = 92;
const DAYS_BACK = 364;

/** Matches [milliseconds, price] in the JSON text, because JSON.parse would round prices. */
const POINT = /\[\s*(\d+)\s*,\s*([\d.eE+-]+)\s*\]/g;

const REFUSALS: RefusalFormat = {
  errorIn(json) {
    if (!isRecord(json) || 'prices' in json) return undefined;
    const { status = json.status } = isRecord(json.error) ? json.error : {};
    const code = wordIn(status, 'error_code');
    return code === undefined ? wordIn(json, 'error') : `${code} ${wordIn(status, 'error_message') ?? ''}`.trimEnd();
  },
  faults: [
    [/^10012/, 'range'],
    [/^429/, 'limit'],
    [/coin not found/i, 'unlisted'],
  ],
};

export function coingeckoSource({ assets, today, fetch, wait }: SourceContext): MarketSource {
  const ids = new Set(assets.flatMap(({ coingecko_id }) => coingecko_id ?? []));
  const client = new MarketClient(NAME, { ...REFUSALS, pauseMs: PAUSE_MS, fetch, ...(wait && { wait }) });
  return {
    name: NAME,
    lists: (asset) => ids.has(asset),
    async quotes(asset, from, to) {
      const until = addDays(to, 1);
      const wide = addDays(until, -RANGE_DAYS_MIN);
      const [earlier] = [from, wide].sort();
      const oldest = addDays(today, -DAYS_BACK);
      if (until <= oldest)
        throw new MarketFailure('range', `${NAME} returns only the last ${DAYS_BACK + 1} days without a key`, asset);
      const [, first] = [earlier!, oldest].sort();
      const [start, end] = [startOf(first!) / 1000, startOf(until) / 1000 + 3600];
      const path = `${URL_OF_COINS}/${encodeURIComponent(asset)}/market_chart/range`;
      const url = `${path}?vs_currency=usd&from=${start}&to=${end}&precision=full`;
      const { text } = await client.read(asset, url);
      return { market: asset, usd: closesOf(text, asset, from, to) };
    },
  };
}

/** Returns closing prices by day. The price at midnight is the closing price of the day that has just ended. */
function closesOf(text: string, asset: string, from: string, to: string): Map<string, Decimal> {
  const prices = /"prices"\s*:\s*\[((?:\s*\[[^\]]*\]\s*,?)*)\s*\]/.exec(text)?.[1];
  if (prices === undefined)
    throw new MarketFailure('unreadable', `${NAME} ${asset} has an answer without prices`, asset);
  const closes = new Map<string, Decimal>();
  for (const [, time, price] of prices.matchAll(POINT)) {
    if (Number(time) % DAY_MS !== 0) continue;
    const day = dayOf(Number(time) - DAY_MS);
    if (day >= from && day <= to) closes.set(day, parsePrice(price!));
  }
  return closes;
}
