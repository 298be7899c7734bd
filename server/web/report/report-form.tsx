/** The form for the wallets and days of a report. */
import { useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { AddressForm } from '../address-form.js';
import { dataset, usualYear, yearName, yearsOf } from '../state/dataset.js';
import { ask, type InvalidInput, type ReportQuery, wholeYear, yearOf } from '../state/query.js';
import { ownersStatements, statements, stateZone, zoneIn } from '../state/statements.js';
import { ZoneField } from '../zone-field.js';

const RANGE = 'range';

interface ReportFormProps {
  /** Wallets and days of the current report; undefined on the landing page. */
  readonly query?: ReportQuery;
  /** Defined if one of the addresses in the URL is invalid. */
  readonly invalidInput?: InvalidInput | undefined;
}

export function ReportForm({ query, invalidInput }: ReportFormProps) {
  const years = dataset.value ? yearsOf(dataset.value) : [String(new Date().getUTCFullYear())];
  const [year, setYear] = useState('');
  const [start, setStart] = useState('');
  const [end, setEnd] = useState('');
  // Updates the form when the back button changes wallets and days.
  useLayoutEffect(() => {
    const days = query ?? invalidInput;
    setYear(days ? (wholeYear(days) ?? RANGE) : '');
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
  const shownYear = year !== '' ? year : dataset.value ? usualYear(dataset.value) : years[0]!;
  const days = shownYear === RANGE ? { start, end } : yearOf(shownYear);
  const isOrdered = days.start !== '' && days.start <= days.end;
  return (
    <AddressForm
      given={given}
      layout={query ? 'compact' : ''}
      action="Show my year"
      show={(addresses) => ask({ addresses, ...days })}
      otherFaults={() => (isOrdered ? [] : [{ words: 'Choose a first and a last day, in this order.' }])}
    >
      <div class="field">
        <label for="year">Period</label>
        <select id="year" value={shownYear} onChange={(event) => setYear(event.currentTarget.value)}>
          {[...new Set([...years, ...(year && year !== RANGE ? [year] : [])])].map((one) => (
            <option key={one} value={one}>
              {yearName(one, dataset.value)}
            </option>
          ))}
          <option value={RANGE}>Other days…</option>
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
      {query && (
        <ZoneField name={zoneIn(statements.value)} isDisabled={ownersStatements.value !== ''} choose={stateZone} />
      )}
    </AddressForm>
  );
}
