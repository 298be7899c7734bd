import { useState } from 'preact/hooks';
import type { NewApiKey, Scope } from '../../../schemas/types.generated.js';
import { Folded } from './parts/folded.js';
import { OFFERED, wordsOf } from './scopes.js';

/** Choices for the key's lifetime in days; 0 means no expiry. */
const LIFETIMES: readonly (readonly [days: number, words: string])[] = [
  [0, 'never, unless I revoke it'],
  [30, 'after 30 days'],
  [90, 'after 90 days'],
  [365, 'after a year'],
];

const DAY_MS = 86_400_000;

export function NewKey({ make }: { readonly make: (wanted: NewApiKey) => Promise<boolean> }) {
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly Scope[]>(['tax:read']);
  const [days, setDays] = useState(0);
  const isReady = name.trim() !== '' && scopes.length > 0;
  const submit = async () => {
    if (!isReady) return;
    const end = days > 0 && { expires_at: new Date(Date.now() + days * DAY_MS).toISOString() };
    if (await make({ name: name.trim(), scopes: [...scopes], ...end })) setName('');
  };
  return (
    <Folded title="Create a key" submit={submit}>
      <div class="field">
        <label for="key-name">Name, to recognize it</label>
        <input
          id="key-name"
          maxLength={100}
          autocomplete="off"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </div>
      <fieldset class="field">
        <legend>Permissions</legend>
        {OFFERED.map((scope) => (
          <label key={scope} class="choice">
            <input
              type="checkbox"
              checked={scopes.includes(scope)}
              onChange={({ currentTarget: { checked } }) =>
                setScopes(checked ? [...scopes, scope] : scopes.filter((one) => one !== scope))
              }
            />
            <span>
              {wordsOf(scope)} <code>{scope}</code>
            </span>
          </label>
        ))}
      </fieldset>
      <div class="field">
        <label for="key-end">Expires</label>
        <select
          id="key-end"
          value={String(days)}
          onChange={({ currentTarget }) => setDays(Number(currentTarget.value))}
        >
          {LIFETIMES.map(([value, words]) => (
            <option key={value} value={String(value)}>
              {words}
            </option>
          ))}
        </select>
      </div>
      <p>
        <button type="submit" class="button small" disabled={!isReady}>
          Create key
        </button>
      </p>
    </Folded>
  );
}
