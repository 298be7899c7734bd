/** A form with the addresses of wallets, and further fields. */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { wallet } from './state/account.js';
import { type Fault, hasRecoveryPhrase, type Instead, readAddresses, shortened } from './values/addresses.js';

export interface GivenAddresses {
  readonly text: string;
  readonly faults: readonly Fault[];
}

interface AddressFormProps {
  /** Addresses in the URL. Another object resets the form, for example after the back button. */
  readonly given: GivenAddresses;
  /** CSS class for the layout of the fields. */
  readonly layout: string;
  /** Label of the button. */
  readonly action: string;
  readonly show: (addresses: readonly string[]) => void;
  /** Returns the errors of the other fields. */
  readonly otherFaults: () => readonly Fault[];
  /** The other fields. */
  readonly children: ComponentChildren;
}

export function AddressForm({ given, layout, action, show, otherFaults, children }: AddressFormProps) {
  const [text, setText] = useState(given.text);
  const [faults, setFaults] = useState<readonly Fault[]>(given.faults);
  useLayoutEffect(() => {
    setText(given.text);
    setFaults(given.faults);
  }, [given]);
  const change = (field: HTMLTextAreaElement) => {
    if (hasRecoveryPhrase(field.value)) {
      field.value = ''; // at once, also if the text before was empty, so that nothing is rendered
      setFaults([{ words: PHRASE_WORDS }]);
    }
    setText(field.value);
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    check(text);
  };
  const check = (typed: string) => {
    const read = readAddresses(typed);
    const missing = read.addresses.length + read.faults.length === 0 ? [{ words: 'Paste at least one address.' }] : [];
    const all = [...missing, ...read.faults, ...otherFaults()];
    setFaults(all);
    if (all.length === 0) show(read.addresses);
  };
  const useWallet = async () => {
    const found = await wallet()?.address();
    if (!found) return setFaults([{ words: 'Your wallet did not share an address.' }]);
    setText(found);
    check(found);
  };
  const take = ({ word, wallet }: Instead) => {
    const changed = text.replaceAll(word, wallet);
    setText(changed);
    check(changed);
  };
  return (
    <form class={`ask ${layout}`} onSubmit={submit} noValidate>
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
      {children}
      <div class="actions">
        <button type="submit" class="button">
          {action}
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
