/** Reads the parameters of a tax year: the rules of a country, and what the request puts in their place. */
import { quoted } from '../../../pipeline/base/json/quoted.js';
import { addDays, isDay } from '../../../pipeline/base/values/day.js';
import { zoneNamed } from '../../../pipeline/base/values/zones.js';
import { ExchangeRates, unknownCurrency } from '../../../pipeline/books/currencies/exchange-rates.js';
import { currencyOf } from '../../../pipeline/books/currencies/index.js';
import { poolMethodNamed } from '../../../pipeline/books/pools/index.js';
import type { IncomeRule } from '../../../pipeline/books/reports/tax-year/income-rule.js';
import type { CountryRules } from '../../../schemas/types.generated.js';
import type { Reading } from './reading.js';
import { rangeOfDays } from './time-range.js';

const STATED = ['tax_currency', 'timezone', 'tax_method', 'income'] as const;

/** Must be called after `timezone` was read. */
export function readTaxYear(reading: Reading): void {
  const rules = readCountry(reading);
  const code = reading.text('tax_currency');
  const method = reading.choice('tax_method') as CountryRules['method'] | undefined;
  const income = reading.choice('income') as IncomeRule | undefined;
  const isComplete = reading.choice('complete') === 'true';
  const year = reading.text('tax_year');
  if (rules === 'faulty') return;
  const given = [code, reading.values.timezone, method, income];
  if (!rules)
    STATED.forEach((name, i) => {
      if (given[i] === undefined) reading.fault(name, 'is required without country');
    });
  const currency = code ?? rules?.currency ?? '';
  const { rates = new ExchangeRates() } = reading.context;
  if (code !== undefined && !rates.currencyNamed(code)) reading.fault('tax_currency', unknownCurrency(code));
  // Stated amounts are converted to it.
  else if (currency !== '') reading.values.currency = currencyOf(currency);
  if (year === undefined) return;
  const start = rules?.year_start ?? '01-01';
  const first = `${year}-${start}`;
  if (!isDay(first) || year === '9999') {
    reading.fault('tax_year', `must be a year, YYYY, not ${quoted(year)}`);
    return;
  }
  if (rules?.from !== undefined && first < rules.from)
    reading.fault('tax_year', `is before the rules of ${rules.country}, which begin on ${rules.from}`);
  if (rules?.revalued && method && !poolMethodNamed(method))
    reading.fault(
      'tax_method',
      `must be a pool: the rules of ${rules.country} for coins from before ${rules.revalued.day} need one`,
    );
  if (reading.faults.length > 0) return;
  const timezone = reading.values.timezone ?? rules?.timezone ?? 'UTC';
  const last = addDays(`${Number(year) + 1}-${start}`.padStart(10, '0'), -1);
  reading.values.range = rangeOfDays(first, last, zoneNamed(timezone));
  reading.values.taxYear = {
    ...{ country: rules?.country ?? null, currency, timezone, first, last, isComplete },
    method: method ?? rules!.method,
    income: income ?? rules!.income,
  };
}

function readCountry(reading: Reading): CountryRules | undefined | 'faulty' {
  const text = reading.text('country');
  if (text === undefined) return undefined;
  const { countries } = reading.context.reference;
  const found = countries.find(({ country }) => country === text.toUpperCase());
  if (found) return found;
  reading.fault('country', `must be ${countries.map(({ country }) => country).join(', ')}, not ${quoted(text)}`);
  return 'faulty';
}
