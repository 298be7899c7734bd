import { useState } from 'preact/hooks';
import type { ApiKey, ApiKeys, NewApiKey, Scope } from '../../../schemas/types.generated.js';
import { send } from '../api/client.js';
import { PATHS } from '../api/paths.js';
import { Section } from '../parts.js';
import {
  Choices,
  Confirmed,
  Entries,
  Entry,
  Failure,
  Folded,
  Secret,
  useAccountList,
  useSecret,
  When,
} from './parts.js';

const isOver = ({ revoked_at, expires_at }: ApiKey) =>
  revoked_at !== null || (expires_at !== null && Date.parse(expires_at) <= Date.now());

export function Keys() {
  const { list, isBusy, failure, change, remove } = useAccountList<ApiKeys>(PATHS.keys);
  const { made, make, hide } = useSecret<ApiKey>({ change });
  const keys = list?.keys.filter((key) => !isOver(key)) ?? [];
  const end = ({ id }: ApiKey) => {
    hide();
    return remove(() => send('DELETE', `${PATHS.keys}/${id}`), 'keys');
  };
  return (
    <Section id="keys" title="API keys" isBusy={isBusy}>
      <p class="lead">Programs use an API key to act for you. A key can do only what you allow.</p>
      <Failure text={failure} />
      {made?.key && <Secret value={made.key}>This is the key “{made.name}”.</Secret>}
      {list && keys.length === 0 && <p class="fine">You have no API keys.</p>}
      <Entries label="Active API keys">
        {keys.map((key) => (
          <Entry
            key={key.id}
            title={key.name}
            facts={[
              <>Permissions: {key.scopes.map(wordsOf).join('; ')}.</>,
              ...(key.rate_limit === null ? [] : [<>Limit: {key.rate_limit} requests of the tax API a minute.</>]),
              <Dates key="dates" of={key} />,
            ]}
            buttons={
              <>
                <Confirmed
                  text="Rotate"
                  of={key.name}
                  question={`Rotate the key “${key.name}”?`}
                  yes="Rotate"
                  act={() => make(() => send('POST', `${PATHS.keys}/${key.id}/rotate`))}
                >
                  <p>The current secret stops working at once. Your programs work again when they have the new one.</p>
                </Confirmed>
                <Confirmed
                  text="Revoke"
                  of={key.name}
                  question={`Revoke the key “${key.name}”?`}
                  yes="Revoke"
                  act={() => end(key)}
                >
                  <p>Programs that use it stop working at once. A revoked key cannot be restored.</p>
                </Confirmed>
              </>
            }
          />
        ))}
      </Entries>
      <NewKey make={(wanted) => make(() => send('POST', PATHS.keys, wanted))} />
    </Section>
  );
}

const Dates = ({ of: { created_at, rotated_at, last_used_at, expires_at } }: { readonly of: ApiKey }) => (
  <>
    Created on <When value={created_at} />
    {rotated_at && (
      <>
        , new secret on <When value={rotated_at} />
      </>
    )}
    , {last_used_at ? 'last used on ' : 'never used'}
    {last_used_at && <When value={last_used_at} withTime />}, {expires_at ? 'expires on ' : 'does not expire'}
    {expires_at && <When value={expires_at} />}.
  </>
);

/** Choices for the lifetime of a new key, in days. 0 means that the key never expires. */
const LIFETIMES: readonly (readonly [days: number, words: string])[] = [
  [0, 'never, unless I revoke it'],
  [30, 'after 30 days'],
  [90, 'after 90 days'],
  [365, 'after a year'],
];

const DAY_MS = 86_400_000;

function NewKey({ make }: { readonly make: (wanted: NewApiKey) => Promise<boolean> }) {
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
      <Choices legend="Permissions" offered={OFFERED} chosen={scopes} choose={setScopes} wordsOf={wordsOf} />
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

const OFFERED: readonly Scope[] = ['tax:read', 'upgrades:webhooks', 'wasm:read'];

const WORDS: Readonly<Record<Scope, string>> = {
  'tax:read': 'read balances, events and prices with a quota of your own, and read and change what you have saved',
  'upgrades:webhooks': 'manage messages about upgrades (webhooks)',
  'wasm:read': 'read contracts',
  'snapshots:read': 'read the catalog of snapshots',
  'snapshots:download': 'download snapshots',
  'faucet:request': 'ask for testnet coins',
};

const wordsOf = (scope: Scope): string => WORDS[scope];
