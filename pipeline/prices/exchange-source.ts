/** Exchanges as market sources: the closes of their daily candles, read by ccxt. */
import ccxt, { type Exchange } from 'ccxt';
import type { PriceMarket, PriceMarkets } from '../../schemas/types.generated.js';
import { addDays, dayOf, startOf } from '../ledger/day.js';
import type { Decimal } from '../ledger/decimal.js';
import { type MarketAnswer, MarketFailure, type MarketSource, parsePrice } from './market-source.js';

/** Constructors of ccxt by the name of the source in the methodology. */
const EXCHANGES: Readonly<Record<string, (options: object) => Exchange>> = {
  binance: (options) => new ccxt.binance(options),
  bybit: (options) => new ccxt.bybit(options),
  coinbase: (options) => new ccxt.coinbaseexchange(options),
  kraken: (options) => new ccxt.kraken(options),
};

/** Candles of one request; every exchange gives so many at once. */
const PAGE_DAYS = 300;

/** The daily candles of one exchange, with prices exactly as it writes them. */
class Candles {
  private readonly exchange: Exchange;

  constructor(
    readonly name: string,
    fetchImplementation: typeof fetch,
  ) {
    // With `number: String` no price becomes a JavaScript number.
    this.exchange = EXCHANGES[name]!({ number: String, enableRateLimit: true, fetchImplementation });
  }

  /** @returns UTC day → close in the market's quote currency @throws MarketFailure */
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
    // ccxt is told the market, so that it does not look it up in the exchange's list of all markets, which is megabytes long.
    const spot = { id: market, symbol: market, type: 'spot', spot: true, contract: false, active: true };
    this.exchange.setMarkets([this.exchange.safeMarketStructure(spot)]);
    try {
      return await this.exchange.fetchOHLCV(market, '1d', startOf(first), PAGE_DAYS);
    } catch (error) {
      const said = (error as Error).message.replace(/\s+/g, ' ').slice(0, 200);
      throw new MarketFailure(`${this.name} ${market}: ${said}`, error instanceof ccxt.NetworkError);
    }
  }
}

/**
 * Opens those of the named sources that are exchanges.
 * @param range all days that may be asked for; the rate of USDT is fetched once for all of them
 * @param fetchImplementation tests give one that leads to servers of their own
 */
export function exchangeSources(
  names: readonly string[],
  { conversion, markets }: PriceMarkets,
  range: { readonly from: string; readonly to: string },
  fetchImplementation: typeof fetch,
): MarketSource[] {
  const open = (name: string) => new Candles(name, fetchImplementation);
  let rates: Promise<ReadonlyMap<string, Decimal>> | undefined;
  const usdtRates = () => {
    rates ??= open(conversion.source).closes(conversion.market, range.from, range.to);
    return rates;
  };
  return names
    .filter((name) => Object.hasOwn(EXCHANGES, name))
    .map((name) => {
      const candles = open(name);
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

/** Converts the closes of a market in USDT to USD; a day without a rate has no quote. */
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
