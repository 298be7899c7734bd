import type { Price } from '../../../schemas/types.generated.js';
import { readSql } from '../../base/duckdb/database.js';
import { gapsNote } from '../../books/reports/coverage.js';
import {
  dailyPrices,
  priceGaps,
  type ShareDenom,
  type ShareRate,
  sharePrices,
  unreadFiles,
} from '../../prices/daily-prices.js';
import { fetchQuotes } from '../../prices/fetch-quotes.js';
import { assetFileName } from '../../prices/price-files.js';
import type { Artifacts } from '../artifacts.js';
import type { StepContext } from '../night.js';

/** First day for which prices are requested. A lot may have been acquired long before the index. */
const FIRST_DAY = '1970-01-01';

export async function collectDailyPrices(
  { span, holdings }: Pick<Artifacts, 'span' | 'block_times' | 'facts' | 'holdings'>,
  context: StepContext,
): Promise<Pick<Artifacts, 'prices' | 'price_gaps' | 'unreached_prices'>> {
  const { config, reference, database, progress } = context;
  const archive = await fetchQuotes({ ...context, span });
  const { priceDir, priceSources } = config;
  const { assets, methodology } = reference;
  const sources = { priceDir, priceSources, assets, methodology };
  const lastDay = span.lastTime.slice(0, 10);
  const files = await unreadFiles(sources);
  if (files.length > 0) {
    const named = files.length > 5 ? `${files.slice(0, 5).join(', ')}, …` : files.join(', ');
    progress.say(`price files match no asset or source in use and are not read: ${named}`, { files });
  }
  const price_gaps = await priceGaps({ ...sources, from: span.firstTime.slice(0, 10), to: lastDay });
  if (price_gaps.length > 0)
    progress.say(`price files lack days that others have: ${gapsNote(price_gaps)}`, { price_gaps });
  const quoted = await dailyPrices({ ...sources, ...(archive ? { archive } : {}), from: FIRST_DAY, to: lastDay });
  await database.create('prices');
  await database.append('prices', quoted);
  if (holdings.length > 0) await database.append('prices', await pricesOfShares(context, quoted));
  const unreached_prices = assets.flatMap((asset) => {
    const days = archive?.unreached.get(assetFileName(asset)) ?? [];
    return days.length > 0 ? [{ denom: asset.denom, symbol: asset.symbol, days: [...days] }] : [];
  });
  return { prices: 'prices', price_gaps, unreached_prices };
}

async function pricesOfShares({ database, reference }: StepContext, quoted: readonly Price[]): Promise<Price[]> {
  const shares = await database.all<ShareDenom>(readSql('tables/share_denoms'));
  const rates: ShareRate[] = [];
  for await (const rows of database.rows<ShareRate>(
    'validator_days',
    'select validator, day, tokens, shares from validator_days where shares > 0 order by validator, day',
  ))
    rates.push(...rows);
  const native = quoted.filter(({ denom }) => denom === reference.chain.native_denom);
  const [until] = await database.all<{ day: string | null }>(readSql('tables/share_rates_until'), {
    native: reference.chain.native_denom,
  });
  return sharePrices(shares, native, rates, until?.day);
}
