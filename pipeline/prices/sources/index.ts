import type { MarketSource, SourceContext } from '../market-source.js';
import { coingeckoSource } from './coingecko.js';

/** Opens every source. A night asks those that the methodology or HUBLEDGER_PRICE_SOURCES names. */
export async function marketSources(context: SourceContext): Promise<readonly MarketSource[]> {
  const { exchangeSources } = await import('./exchanges.js'); // not before it is needed: ccxt is large
  return [...exchangeSources(context), coingeckoSource(context)];
}
