import type { PriceMarket, PriceMarkets } from '../../../schemas/types.generated.js';
import { elementSlices, isRecord } from '../../base/json/exact-json.js';
import { addDays, DAY_MS, dayOf, startOf } from '../../base/values/day.js';
import type { Decimal } from '../../base/values/decimal.js';
import { MarketClient, type MarketReply, type RefusalFormat, wordIn } from '../market-client.js';
import {
  MarketFailure,
  type MarketQuotes,
  type MarketSource,
  parsePrice,
  type SourceContext,
} from '../market-source.js';

interface Candle {
  /** Start of the day in milliseconds. */
  readonly time: number;
  readonly close: string;
  readonly volume: string;
}

interface Exchange extends RefusalFormat {
  /** Pause between two requests. */
  readonly pauseMs: number;
  /** Days per request. The exchange can return this many daily candles in one answer. */
  readonly pageDays: number;
  url(market: string, from: string, to: string): string;
  /** @throws TypeError or SyntaxError if the reply has another format */
  candlesIn(reply: MarketReply): Candle[];
}

const isoDay = (day: string) => `${day}T00:00:00Z`;
const seconds = (day: string) => startOf(day) / 1000;

/** Reads lists of values such as [time, open, high, low, close, volume]. */
const candles = (lists: unknown, unitMs: number, close: number, volume: number): Candle[] =>
  (lists as unknown[][]).map((values) => ({
    time: Number(values[0]) * unitMs,
    close: String(values[close]),
    volume: String(values[volume]),
  }));

const binance: Exchange = {
  pauseMs: 200,
  pageDays: 1000,
  url: (market, from, to) =>
    `https://api.binance.com/api/v3/klines?symbol=${market}&interval=1d&limit=1000&startTime=${startOf(from)}&endTime=${startOf(to)}`,
  errorIn: (json) => (isRecord(json) ? `${wordIn(json, 'code')} ${wordIn(json, 'msg')}` : undefined),
  faults: [
    [/^-1121 /, 'unlisted'],
    [/^-1003 /, 'limit'],
    [/restricted location/, 'country'],
  ],
  candlesIn: ({ json }) => candles(json, 1, 4, 5),
};

const bybit: Exchange = {
  pauseMs: 200,
  pageDays: 1000,
  url: (market, from, to) =>
    `https://api.bybit.com/v5/market/kline?category=spot&symbol=${market}&interval=D&limit=1000&start=${startOf(from)}&end=${startOf(to)}`,
  errorIn: (json) => {
    const code = wordIn(json, 'retCode');
    return code === undefined || code === '0' ? undefined : `${code} ${wordIn(json, 'retMsg')}`;
  },
  faults: [
    [/^10001 .*symbol/i, 'unlisted'],
    [/^(10006|10018) /, 'limit'],
    [/^(10009|10024) /, 'country'],
    [/^(10016|10000) /, 'away'],
  ],
  candlesIn: ({ json }) => candles((json as { result: { list: unknown } }).result.list, 1, 4, 5),
};

const coinbase: Exchange = {
  pauseMs: 200,
  pageDays: 300,
  url: (market, from, to) =>
    `https://api.exchange.coinbase.com/products/${market}/candles?granularity=86400&start=${isoDay(from)}&end=${isoDay(to)}`,
  errorIn: (json) => wordIn(json, 'message'),
  faults: [
    [/^NotFound$/i, 'unlisted'],
    [/rate limit/i, 'limit'],
  ],
  // Prices are JSON numbers, which JSON.parse would round.
  candlesIn: ({ text }) => candles(elementSlices(text).map(elementSlices), 1000, 4, 5),
};

const kraken: Exchange = {
  pauseMs: 1000,
  pageDays: 720,
  // Kraken returns candles after `since`.
  url: (market, from) =>
    `https://api.kraken.com/0/public/OHLC?pair=${market}&interval=1440&since=${seconds(addDays(from, -1))}`,
  errorIn: (json) => {
    const errors = isRecord(json) ? json.error : undefined;
    return Array.isArray(errors) && errors.length > 0 ? errors.join(', ') : undefined;
  },
  faults: [
    [/EQuery:Unknown asset pair/, 'unlisted'],
    [/Rate limit|Too many requests|Throttled/i, 'limit'],
    [/EService|EGeneral:Internal/, 'away'],
  ],
  /** Kraken names the list by the pair's own name: it answers USDTUSD with USDTZUSD, and XRPUSD with XXRPZUSD. */
  candlesIn({ json }) {
    const [list, ...others] = Object.entries((json as { result: object }).result).filter(([name]) => name !== 'last');
    if (!list || others.length > 0) throw new TypeError('one pair expected');
    return candles(list[1], 1000, 4, 6);
  },
};

const EXCHANGES: Readonly<Record<string, Exchange>> = { binance, bybit, coinbase, kraken };

class Candles {
  private readonly client: MarketClient;
  private readonly exchange: Exchange;

  constructor(
    readonly name: string,
    { fetch, wait }: SourceContext,
  ) {
    this.exchange = EXCHANGES[name]!;
    this.client = new MarketClient(name, { ...this.exchange, fetch, ...(wait && { wait }) });
  }

  /**
   * Fetches closing prices. A day without trades has no price, because exchanges then repeat the last price.
   * @throws MarketFailure
   */
  async closes(market: string, from: string, to: string): Promise<Map<string, Decimal>> {
    const closes = new Map<string, Decimal>();
    const { pageDays } = this.exchange;
    for (let first = from; first <= to; first = addDays(first, pageDays)) {
      const [last] = [addDays(first, pageDays - 1), to].sort();
      const reply = await this.client.read(market, this.exchange.url(market, first, last!));
      for (const { time, close, volume } of this.candlesIn(market, reply)) {
        const day = dayOf(time);
        if (time % DAY_MS === 0 && day >= from && day <= to && !isZero(volume)) closes.set(day, parsePrice(close));
      }
    }
    return closes;
  }

  private candlesIn(market: string, reply: MarketReply): Candle[] {
    try {
      return this.exchange.candlesIn(reply);
    } catch {
      throw new MarketFailure('unreadable', `${this.name} ${market} has an answer without daily candles`, market);
    }
  }
}

/** Returns true for `0.00000000`. @throws MarketFailure if the text is not a number */
function isZero(volume: string): boolean {
  if (/^0(?:\.0*)?$/.test(volume)) return true;
  parsePrice(volume);
  return false;
}

interface Rates {
  readonly usd: ReadonlyMap<string, Decimal>;
  /** Why markets with the rate gave none. */
  readonly failures: readonly string[];
}

/** Rates from USDT to USD: for each day, the rate of the first market in the list that has one. */
async function fetchRates(
  exchanges: ReadonlyMap<string, Candles>,
  conversions: PriceMarkets['conversions'],
  from: string,
  to: string,
): Promise<Rates> {
  const usd = new Map<string, Decimal>();
  const failures: string[] = [];
  for (const { source, market } of conversions) {
    try {
      const closes = await exchanges.get(source)!.closes(market, from, to);
      if (closes.size === 0) failures.push(`${source} has no price of ${market}`);
      for (const [day, rate] of closes) if (!usd.has(day)) usd.set(day, rate);
    } catch (error) {
      if (!(error instanceof MarketFailure)) throw error;
      failures.push(error.message);
    }
  }
  return { usd, failures };
}

export function exchangeSources(context: SourceContext): MarketSource[] {
  const { conversions, markets } = context.priceMarkets;
  const exchanges = new Map(Object.keys(EXCHANGES).map((name) => [name, new Candles(name, context)]));
  let fetched: Promise<Rates> | undefined;
  const rates = () => {
    fetched ??= fetchRates(exchanges, conversions, context.from, context.to);
    return fetched;
  };
  return [...exchanges].map(([name, candles]) => {
    const listed = new Map(markets.filter(({ source }) => source === name).map((market) => [market.asset, market]));
    return {
      name,
      lists: (asset) => listed.has(asset),
      quotes: (asset, from, to) => replyOf(candles, listed.get(asset)!, { from, to }, rates),
    };
  });
}

/**
 * Converts prices in USDT to USD. A day without a rate has no quote. If a market with the rate did not answer, the
 * quote of that day stays open.
 */
async function replyOf(
  candles: Candles,
  { market, quote }: PriceMarket,
  { from, to }: { readonly from: string; readonly to: string },
  ratesOf: () => Promise<Rates>,
): Promise<MarketQuotes> {
  if (quote === 'USD') return { market, usd: await candles.closes(market, from, to) };
  const rates = await ratesOf();
  const failure = new MarketFailure(
    'conversion',
    `${candles.name} has no rate from USDT to USD (${rates.failures.join('; ')})`,
  );
  if (rates.usd.size === 0) throw failure;
  const closes = [...(await candles.closes(market, from, to))];
  const converted = closes.flatMap(([day, close]) => {
    const rate = rates.usd.get(day);
    return rate ? [[day, close.times(rate)] as const] : [];
  });
  const days = new Set(closes.map(([day]) => day).filter((day) => !rates.usd.has(day)));
  const isOpen = days.size > 0 && rates.failures.length > 0;
  return { market, usd: new Map(converted), ...(isOpen && { unconverted: { days, failure } }) };
}
