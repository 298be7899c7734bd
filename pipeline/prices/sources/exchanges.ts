import ccxt, { type Exchange } from 'ccxt';
import type { PriceMarket } from '../../../schemas/types.generated.js';
import { addDays, dayOf, startOf } from '../../base/values/day.js';
import type { Decimal } from '../../base/values/decimal.js';
import {
  type MarketAnswer,
  MarketFailure,
  type MarketSource,
  parsePrice,
  type SourceContext,
} from '../market-source.js';

const EXCHANGES: Readonly<Record<string, (options: object) => Exchange>> = {
  binance: (options) => new ccxt.binance(options),
  bybit: (options) => new ccxt.bybit(options),
  coinbase: (options) => new ccxt.coinbaseexchange(options),
  kraken: (options) => new ccxt.kraken(options),
};

/** Number of days per request. All exchanges can return this many daily candles in one response. */
const PAGE_DAYS = 300;

class Candles {
  private readonly exchange: Exchange;

  constructor(
    readonly name: string,
    fetchImplementation: typeof fetch,
  ) {
    // With `number: String`, ccxt returns exact prices.
    this.exchange = EXCHANGES[name]!({ number: String, enableRateLimit: true, fetchImplementation });
  }

  async closes(market: string, from: string, to: string): Promise<Map<string, Decimal>> {
    const closes = new Map<string, Decimal>();
    for (let first = from; first <= to; first = addDays(first, PAGE_DAYS)) {
      for (const [time, , , , close] of await this.page(market, first)) {
        const day = dayOf(Number(time));
        if (day >= from && day <= to) closes.set(day, parsePrice(String(close)));
      }
    }
    return closes;
  }

  private async page(market: string, first: string) {
    // The market is defined here. Otherwise ccxt would download the exchange's list of markets, which has several
    // megabytes.
    const spot = { id: market, symbol: market, type: 'spot', spot: true, contract: false, active: true };
    this.exchange.setMarkets([this.exchange.safeMarketStructure(spot)]);
    try {
      return await this.exchange.fetchOHLCV(market, '1d', startOf(first), PAGE_DAYS);
    } catch (error) {
      const reason = (error as Error).message.replace(/\s+/g, ' ').slice(0, 200);
      throw new MarketFailure(`${this.name} ${market}: ${reason}`, error instanceof ccxt.NetworkError);
    }
  }
}

export function exchangeSources({ priceMarkets, from, to, fetch }: SourceContext): MarketSource[] {
  const { conversion, markets } = priceMarkets;
  let rates: Promise<ReadonlyMap<string, Decimal>> | undefined;
  const usdtRates = () => {
    rates ??= new Candles(conversion.source, fetch).closes(conversion.market, from, to);
    return rates;
  };
  return Object.keys(EXCHANGES).map((name) => {
    const candles = new Candles(name, fetch);
    const listed = new Map(markets.filter(({ source }) => source === name).map((market) => [market.asset, market]));
    return {
      name,
      async quotes(asset, from, to) {
        const listing = listed.get(asset);
        return listing && answerOf(listing, await candles.closes(listing.market, from, to), usdtRates);
      },
    };
  });
}

/** Converts prices in USDT to USD. Leaves out days without a USDT rate. */
async function answerOf(
  { market, quote }: PriceMarket,
  closes: ReadonlyMap<string, Decimal>,
  usdtRates: () => Promise<ReadonlyMap<string, Decimal>>,
): Promise<MarketAnswer> {
  if (quote === 'USD') return { market, usd: closes };
  const rates = await usdtRates();
  const usd = new Map<string, Decimal>();
  for (const [day, close] of closes) {
    const rate = rates.get(day);
    if (rate !== undefined) usd.set(day, close.times(rate));
  }
  return { market, usd };
}
