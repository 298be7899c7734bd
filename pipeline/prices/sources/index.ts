import type { MarketSource, SourceContext } from '../market-source.js';
import { coingeckoSource } from './coingecko.js';
import { exchangeSources } from './exchanges.js';

export const marketSources = (context: SourceContext): readonly MarketSource[] => [
  ...exchangeSources(context),
  coingeckoSource(context),
];
