import { useLayoutEffect, useState } from 'preact/hooks';
import { wallet } from '../state/account.js';
import { dataset, usualYear, yearName, yearsOf } from '../state/dataset.js';
import { ask, type InvalidInput, type ReportQuery, wholeYear, yearOf } from '../state/query.js';
import { type Fault, hasRecoveryPhrase, type Instead, readAddresses, shortened } from '../values/addresses.js';

const RANGE = 'range';

interface AddressFormProps {
  /** Wallets and days of the current report; undefined on the landing page. */
  readonly query?: ReportQuery;
  /** Defined if one of the addresses in the URL is invalid. */
  readonly invalidInput?: InvalidInput | undefined;
}

export function AddressForm({ query, invalidInput }: AddressFormProps) {
  const [text, setText] = useState('');
  const [faults, setFaults] = useState<readonly Fault[]>([]);
  const years = dataset.value ? yearsOf(dataset.value) : [String(new Date().getUTCFullYear())];
  const [year, setYear] = useState('');
  const [start, setStart] = useState('');
  const [end, setEnd] = useState('');
  // Updates the form when the back button changes wallets and days.
  useLayoutEffect(() => {
    const days = query ?? invalidInput;
    setText(query?.addresses.join('\n') ?? invalidInput?.text ?? '');
    setFaults(invalidInput?.faults ?? []);
    setYear(days ? (wholeYear(days) ?? RANGE) : '');
    setStart(days?.start ?? '');
    setEnd(days?.end ?? '');
  }, [query, invalidInput]);
  const shownYear = year !== '' ? year : dataset.value ? usualYear(dataset.value) : years[0]!;
  const days = shownYear === RANGE ? { start, end } : yearOf(shownYear);
  const change = (field: HTMLTextAreaElement) => {
    if (hasRecoveryPhrase(field.value)) {
      field.value = ''; // at once, also if the text before was empty, so that nothing is rendered
      setFaults([{ words: PHRASE_WORDS }]);
    }
    setText(field.value);
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    show(text);
  };
  const show = (given: string) => {
    const read = readAddresses(given);
    const missing = read.addresses.length + read.faults.length === 0 ? [{ words: 'Paste at least one address.' }] : [];
    const unordered =
      days.start === '' || days.start > days.end ? [{ words: 'Choose a first and a last day, in this order.' }] : [];
    const all = [...missing, ...read.faults, ...unordered];
    setFaults(all);
    if (all.length === 0) ask({ addresses: read.addresses, ...days });
  };
  const useWallet = async () => {
    const found = await wallet()?.address();
    if (!found) return setFaults([{ words: 'Your wallet did not share an address.' }]);
    setText(found);
    show(found);
  };
  const take = ({ word, wallet }: Instead) => {
    const changed = text.replaceAll(word, wallet);
    setText(changed);
    show(changed);
  };
  return (
    <form class={`ask ${query ? 'compact' : ''}`} onSubmit={submit} noValidate>
      <div class="field wide">
        <label for="addresses">Wallet addresses</label>
        <textarea
          id="addresses"
          rows={Math.min(4, Math.max(1, text.split('\n').length))}
          placeholder="cosmos1…"
          spellcheck={false}
          autocomplete="off"
          aria-invalid={faults.length > 0}
          aria-describedby={faults.length > 0 ? 'addresses-faults addresses-hint' : 'addresses-hint'}
          value={text}
          onInput={(event) => change(event.currentTarget)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.shiftKey) submit(event as unknown as SubmitEvent);
          }}
        />
        <p id="addresses-hint" class="hint">
          An address begins with cosmos1; your wallet shows it under “Receive”. Paste one or several.
        </p>
      </div>
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
          <legend>Days, in UTC</legend>
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
      <div class="actions">
        <button type="submit" class="button">
          Show my year
        </button>
        {wallet() && (
          <button type="button" class="quiet" onClick={useWallet}>
            Use my wallet
          </button>
        )}
      </div>
      {faults.length > 0 && <AddressFaults id="addresses-faults" faults={faults} take={take} />}
    </form>
  );
}

const PHRASE_WORDS =
  'This looked like a recovery phrase, so the field was emptied: nothing was sent or stored, and no website needs your phrase.';

interface AddressFaultsProps {
  readonly id: string;
  readonly faults: readonly Fault[];
  readonly take: (instead: Instead) => void;
}

/**
 * Shows errors of addresses. If the user entered an address of another chain with the same key, offers the Cosmos Hub
 * address.
 */
const AddressFaults = ({ id, faults, take }: AddressFaultsProps) => (
  <div class="notice bad faults" role="alert" id={id}>
    <ul>
      {faults.map(({ words, instead }) => (
        <li key={words}>
          {words}
          {instead && (
            <span class="offers">
              <button type="button" class="link" onClick={() => take(instead)}>
                Use {instead.operator ? 'its own wallet,' : 'its address there,'} {shortened(instead.wallet)}
              </button>
              {instead.operator && <a href={`/validator/${instead.operator}`}>See its validator statement</a>}
            </span>
          )}
        </li>
      ))}
    </ul>
  </div>
);
