/** The form of a new API key. */
import { useState } from 'preact/hooks';
import type { NewApiKey, Scope } from '../../../schemas/types.generated.js';

/** Scopes in plain words. */
const SCOPES: readonly (readonly [scope: Scope, words: string])[] = [
  ['tax:read', 'Read balances, events and prices, with a quota of your own, and saved decisions'],
  ['upgrades:webhooks', 'Manage webhooks about upgrades'],
  ['wasm:read', 'Read contracts'],
];

export function NewKey({ make }: { readonly make: (wanted: NewApiKey) => Promise<void> }) {
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly Scope[]>(['tax:read']);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (name.trim() !== '' && scopes.length > 0)
      void make({ name: name.trim(), scopes: [...scopes] }).then(() => setName(''));
  };
  return (
    <form class="group new-key" onSubmit={submit}>
      <h3>A new key</h3>
      <div class="field">
        <label for="key-name">Name</label>
        <input
          id="key-name"
          maxLength={100}
          autocomplete="off"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </div>
      <fieldset class="field">
        <legend>It may</legend>
        {SCOPES.map(([scope, words]) => (
          <label key={scope} class="choice">
            <input
              type="checkbox"
              checked={scopes.includes(scope)}
              onChange={({ currentTarget: { checked } }) =>
                setScopes(checked ? [...scopes, scope] : scopes.filter((one) => one !== scope))
              }
            />
            <span>
              {words} <code>{scope}</code>
            </span>
          </label>
        ))}
      </fieldset>
      <p>
        <button type="submit" class="button small" disabled={name.trim() === '' || scopes.length === 0}>
          Make the key
        </button>
      </p>
    </form>
  );
}
