import type { Price } from '../../../schemas/types.generated.js';
import { readSql } from '../../base/duckdb/database.js';
import { dailyPrices, type ShareDenom, type ShareRate, sharePrices, unreadFiles } from '../../prices/daily-prices.js';
import { fetchQuotes } from '../../prices/fetch-quotes.js';
import type { Artifacts } from '../artifacts.js';
import type { StepContext } from '../night.js';

/** Earliest requested day. A lot may have been acquired long before the index. */
const FIRST_DAY = '1970-01-01';

export async function collectDailyPrices(
  { span, holdings }: Pick<Artifacts, 'span' | 'block_times' | 'facts' | 'holdings'>,
  context: StepContext,
): Promise<Pick<Artifacts, 'prices'>> {
  const { config, reference, database, progress } = context;
  const archive = await fetchQuotes({ ...context, span });
  const { priceDir, priceSources } = config;
  const { assets, methodology } = reference;
  const files = await unreadFiles({ priceDir, priceSources, assets, methodology });
  if (files.length > 0) {
    const named = files.length > 5 ? `${files.slice(0, 5).join(', ')}, …` : files.join(', ');
    progress.say(`price files match no asset or source in use and are not read: ${named}`, { files });
  }
  const quoted = await dailyPrices({
    priceDir,
    priceSources,
    assets,
    methodology,
    ...(archive ? { archive } : {}),
    from: FIRST_DAY,
    to: span.lastTime.slice(0, 10),
  });
  await database.create('prices');
  await database.append('prices', quoted);
  if (holdings.length > 0) await database.append('prices', await pricesOfShares(context, quoted));
  return { prices: 'prices' };
}

async function pricesOfShares({ database, reference }: StepContext, quoted: readonly Price[]): Promise<Price[]> {
  const shares = await database.all<ShareDenom>(readSql('tables/share_denoms'));
  const rates: ShareRate[] = [];
  for await (const rows of database.rows<ShareRate>('validator_days', readSql('tables/share_rates')))
    rates.push(...rows);
  const native = quoted.filter(({ denom }) => denom === reference.chain.native_denom);
  const [until] = await database.all<{ day: string | null }>(readSql('tables/share_rates_until'), {
    native: reference.chain.native_denom,
  });
  return sharePrices(shares, native, rates, until?.day);
}
