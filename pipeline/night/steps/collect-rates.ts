import type { ExchangeRate } from '../../../schemas/types.generated.js';
import { type RateSourceRecord, rateSources } from '../../base/disk/run-records.js';
import { formatDecimal, RATE_DECIMALS } from '../../base/values/amount.js';
import { addDays, dayOf } from '../../base/values/day.js';
import { RATE_DAYS_BACK } from '../../books/currencies/exchange-rates.js';
import type { Config } from '../../config.js';
import { ratesSources } from '../../prices/rates-file.js';
import { readableGenerations, replacedGeneration, tableFiles } from '../../publish/generation.js';
import type { Artifacts } from '../artifacts.js';
import type { StepContext } from '../night.js';

const TABLE = 'exchange_rates';

const NAMED_MAX = 5;

type Rates = Map<string, ExchangeRate>;

/**
 * Collects exchange rates. The published rates stay, so a source that fails takes nothing away. If a source changes a
 * published rate of a closed month, the comparison with the current generation refuses it (restatements.ts).
 */
export async function collectRates(
  { span }: Pick<Artifacts, 'span'>,
  context: StepContext,
): Promise<Pick<Artifacts, 'exchange_rates'>> {
  const { config, database, progress, signal } = context;
  const published = await publishedRates(context);
  const rates: Rates = new Map(published);
  const failures = new Map<string, string | null>();
  for (const { name, read } of ratesSources(config, signal)) {
    failures.set(name, null);
    try {
      for (const rate of await read()) {
        if (rates.get(keyOf(rate))?.per_eur !== rate.per_eur) rates.set(keyOf(rate), rate);
      }
    } catch (error) {
      failures.set(name, reasonOf(error));
      progress.say(`rates: nothing of ${name} is used, and known rates stay: ${reasonOf(error)}`);
    }
  }
  recordFailures(failures, config);
  const [from, to] = [addDays(span.firstTime.slice(0, 10), -RATE_DAYS_BACK), span.lastTime.slice(0, 10)];
  const kept = [...rates.values()].filter(({ day }) => day >= from && day <= to);
  logChanges(published, kept, progress);
  await database.create(TABLE);
  await database.append(TABLE, kept);
  return { exchange_rates: TABLE };
}

/** Stores which sources failed, for `status` and metrics. A source that is no longer in use is left out. */
function recordFailures(failures: ReadonlyMap<string, string | null>, { dataDir, now }: Config): void {
  const time = now();
  const before = rateSources.read(dataDir)?.sources ?? {};
  const records = [...failures].map(([name, failure]): [string, RateSourceRecord] => {
    const nights = failure === null ? [] : [...(before[name]?.failed_nights ?? []), dayOf(time.getTime())];
    return [name, { failed_nights: [...new Set(nights)], failure }];
  });
  rateSources.write(dataDir, { ended: time.toISOString(), sources: Object.fromEntries(records) });
}

const keyOf = ({ day, currency }: ExchangeRate) => `${currency} ${day}`;

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error & { readonly cause?: { readonly code?: string } };
  return cause?.code ?? message;
}

/** Reads the rates of the generation that this run replaces. If it is damaged, reads an older generation. */
async function publishedRates({ config, database, progress }: StepContext): Promise<Rates> {
  const replaced = replacedGeneration(config.dataDir);
  for (const { folder, manifest } of [...(replaced ? [replaced] : []), ...readableGenerations(config.dataDir)]) {
    if (!manifest.tables.some(({ name }) => name === TABLE)) continue;
    try {
      await database.attach(TABLE, tableFiles(folder, manifest, TABLE), 'published_rates');
      const rows = database.rows<ExchangeRate>(TABLE, 'from published_rates order by day, currency');
      const rates: Rates = new Map();
      for await (const chunk of rows) for (const rate of chunk) rates.set(keyOf(rate), rate);
      return rates;
    } catch (error) {
      progress.say(`rates: those of ${manifest.generation} cannot be read: ${reasonOf(error).split('\n')[0]}`);
    }
  }
  return new Map();
}

function logChanges(published: Rates, kept: readonly ExchangeRate[], progress: StepContext['progress']): void {
  const changes = kept.flatMap((rate) => {
    const before = published.get(keyOf(rate))?.per_eur ?? rate.per_eur;
    const words = [before, rate.per_eur].map((units) => formatDecimal(units, RATE_DECIMALS));
    return before === rate.per_eur ? [] : [`${keyOf(rate)} ${words.join(' → ')}`];
  });
  if (changes.length === 0) return;
  const named = changes.length > NAMED_MAX ? [...changes.slice(0, NAMED_MAX), '…'] : changes;
  progress.say(`rates: sources have changed ${changes.length} published rates: ${named.join(', ')}`, { changes });
}
