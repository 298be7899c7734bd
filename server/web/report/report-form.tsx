/** The form for the wallets and days of a report. */
import { batch } from '@preact/signals';
import { useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { AddressForm } from '../address-form.js';
import { chooseCountry, countries, proposedCountry } from '../state/country.js';
import { dataset, daysOfYear, rulesOf, usualYear, yearName, yearsOf } from '../state/dataset.js';
import { ask, type InvalidInput, type ReportQuery, wholeYear } from '../state/query.js';
import { NO_COUNTRY, ownersStatements, statements, stateZone, zoneIn } from '../state/statements.js';
import { ZoneField } from '../zone-field.js';

const RANGE = 'range';

/** Id of the field, for the link at the top of the report. */
export const COUNTRY_FIELD = 'country';

interface ReportFormProps {
  /** Wallets and days of the current report; undefined on the landing page. */
  readonly query?: ReportQuery;
  /** Defined if one of the addresses in the URL is invalid. */
  readonly invalidInput?: InvalidInput | undefined;
}

export function ReportForm({ query, invalidInput }: ReportFormProps) {
  const stated = statements.value;
  const [chosen, setChosen] = useState<string>();
  const [chosenCurrency, setCurrency] = useState<string>();
  const code = chosen ?? (stated.country || (query ? NO_COUNTRY : proposedCountry.value));
  const rules = rulesOf(code);
  const first = rules?.year_start;
  const years = dataset.value ? yearsOf(dataset.value, first) : [String(new Date().getUTCFullYear())];
  const [year, setYear] = useState('');
  const [start, setStart] = useState('');
  const [end, setEnd] = useState('');
  // Updates the form when the back button changes wallets and days.
  useLayoutEffect(() => {
    const days = query ?? invalidInput;
    setYear(days ? (wholeYear(days, first) ?? RANGE) : '');
    setChosen(undefined);
    setCurrency(undefined);
    setStart(days?.start ?? '');
    setEnd(days?.end ?? '');
  }, [query, invalidInput]);
  const given = useMemo(
    () => ({
      text: query?.addresses.join('\n') ?? invalidInput?.text ?? '',
      faults: invalidInput?.faults ?? [],
    }),
    [query, invalidInput],
  );
  const shownYear = year !== '' ? year : dataset.value ? usualYear(dataset.value, first) : years[0]!;
  const days = shownYear === RANGE ? { start, end } : daysOfYear(shownYear, first);
  const chooseRules = (other: string) => {
    setChosen(other);
    setCurrency('');
    // A country has whole years only, and perhaps other ones.
    if (rulesOf(other) || rules) setYear('');
  };
  const show = (addresses: readonly string[]) =>
    batch(() => {
      const isProposedNone = chosen === undefined && code === NO_COUNTRY;
      if (!isProposedNone) chooseCountry(code, chosenCurrency ?? stated.currency);
      ask({ addresses, ...days });
    });
  const isOrdered = days.start !== '' && days.start <= days.end;
  return (
    <AddressForm
      given={given}
      layout={query ? 'compact' : ''}
      action="Show my year"
      show={show}
      otherFaults={() => (isOrdered ? [] : [{ words: 'Choose a first and a last day, in this order.' }])}
    >
      <div class="field">
        <label for="year">Period</label>
        <select id="year" value={shownYear} onChange={(event) => setYear(event.currentTarget.value)}>
          {[...new Set([...years, ...(year && year !== RANGE ? [year] : [])])].map((one) => (
            <option key={one} value={one}>
              {yearName(one, dataset.value, first)}
            </option>
          ))}
          {!rules && <option value={RANGE}>Other days…</option>}
        </select>
      </div>
      {shownYear === RANGE && (
        <fieldset class="field days">
          <legend>Days, in {zoneIn(statements.value)}</legend>
          <label>
            First
            <input type="date" value={start} onInput={(event) => setStart(event.currentTarget.value)} />
          </label>
          <label>
            Last
            <input type="date" value={end} onInput={(event) => setEnd(event.currentTarget.value)} />
          </label>
        </fieldset>
      )}
      <div class="field">
        <label for={COUNTRY_FIELD}>Country</label>
        <select
          id={COUNTRY_FIELD}
          value={code}
          disabled={ownersStatements.value !== ''}
          onChange={(event) => chooseRules(event.currentTarget.value)}
        >
          {countries.value.map((one) => (
            <option key={one.country} value={one.country}>
              {one.name}
            </option>
          ))}
          <option value={NO_COUNTRY}>Other country</option>
        </select>
      </div>
      {query && rules && (
        <div class="field">
          <label for="currency">Currency</label>
          <select
            id="currency"
            value={(chosenCurrency ?? stated.currency) || rules.currency}
            disabled={ownersStatements.value !== ''}
            onChange={(event) => setCurrency(event.currentTarget.value)}
          >
            {dataset.value!.currencies.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </div>
      )}
      {query && (
        <ZoneField name={zoneIn(statements.value)} isDisabled={ownersStatements.value !== ''} choose={stateZone} />
      )}
    </AddressForm>
  );
}
