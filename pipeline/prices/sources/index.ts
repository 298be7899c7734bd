import type { MarketSource, SourceContext } from '../market-source.js';
import { coingeckoSource } from './coingecko.js';

export async function marketSources(context: SourceContext): Promise<readonly MarketSource[]> {
  const { exchangeSources } = await import('./exchanges.js');
  return [...exchangeSources(context), coingeckoSource(context)];
}
