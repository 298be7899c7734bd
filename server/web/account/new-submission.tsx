import { useState } from 'preact/hooks';
import type { NewSubmission as Wanted } from '../../../schemas/types.generated.js';
import { Folded } from './parts/folded.js';

export const KINDS: Readonly<Record<Wanted['kind'], { title: string; address: string; note: string }>> = {
  validator_jurisdiction: {
    title: 'Country of a validator',
    address: 'Operator address of the validator, cosmosvaloper1…',
    note: 'Name the country, and give an https link to the validator’s own statement.',
  },
  contract_label: {
    title: 'Description of a contract',
    address: 'Address of the contract, cosmos1…',
    note: 'Describe what the contract does, and give an https link to a source.',
  },
};

export function NewSubmission({ save }: { readonly save: (wanted: Wanted) => Promise<boolean> }) {
  const [kind, setKind] = useState<Wanted['kind']>('validator_jurisdiction');
  const [address, setAddress] = useState('');
  const [note, setNote] = useState('');
  const isReady = address.trim() !== '' && note.trim() !== '';
  const submit = async () => {
    if (!isReady || !(await save({ kind, contract_address: address.trim(), note: note.trim() }))) return;
    setAddress('');
    setNote('');
  };
  return (
    <Folded title="Propose a correction" submit={submit}>
      <div class="field">
        <label for="submission-kind">It is about</label>
        <select
          id="submission-kind"
          value={kind}
          onChange={({ currentTarget }) => setKind(currentTarget.value as Wanted['kind'])}
        >
          {Object.entries(KINDS).map(([name, { title }]) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
      </div>
      <div class="field">
        <label for="submission-address">{KINDS[kind].address}</label>
        <input
          id="submission-address"
          maxLength={90}
          autocomplete="off"
          spellcheck={false}
          value={address}
          onInput={(event) => setAddress(event.currentTarget.value)}
        />
      </div>
      <div class="field">
        <label for="submission-note">Correct information</label>
        <textarea
          id="submission-note"
          rows={4}
          maxLength={2000}
          value={note}
          aria-describedby="submission-note-hint"
          onInput={(event) => setNote(event.currentTarget.value)}
        />
        <p id="submission-note-hint" class="hint">
          {KINDS[kind].note}
        </p>
      </div>
      <p>
        <button type="submit" class="button small" disabled={!isReady}>
          Send it
        </button>
      </p>
    </Folded>
  );
}
