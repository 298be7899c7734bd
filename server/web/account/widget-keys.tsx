import { useEffect, useState } from 'preact/hooks';
import type { NewWidgetKey, WidgetKey, WidgetKeys as WidgetKeyList } from '../../../schemas/types.generated.js';
import { send } from '../api/client.js';
import { PATHS } from '../api/paths.js';
import { Address, Section } from '../parts.js';
import { Confirmed, Entries, Entry, Failure, Folded, Secret, useAccountList, useSecret, When } from './parts.js';

const ID = 'widget-keys';

/**
 * Renders the widget keys of a validator's account, and nothing for other accounts.
 * @param setOperator called with true if the account belongs to a validator
 */
export function WidgetKeys({ setOperator }: { readonly setOperator: (isOperator: boolean) => void }) {
  const { list, isBusy, failure, change, remove } = useAccountList<WidgetKeyList>(PATHS.widgetKeys);
  const { made, make, hide } = useSecret<WidgetKey>({ change });
  const validators = list?.validators ?? [];
  useEffect(() => setOperator(validators.length > 0), [validators.length]);
  if (validators.length === 0) return null;
  const keys = list!.keys.filter(({ revoked_at }) => revoked_at === null);
  const end = ({ id }: WidgetKey) => {
    hide();
    return remove(() => send('DELETE', `${PATHS.widgetKeys}/${id}`), ID);
  };
  return (
    <Section id={ID} title="Widget keys" isBusy={isBusy}>
      <p class="lead">
        With a widget key, your site shows delegators their staking income.{' '}
        <a href="/widget">How to put the widget on your site</a>.{' '}
        {validators.map(({ validator, moniker }) => (
          <a key={validator} href={`/validator/${validator}`}>
            Statement of {moniker || 'your validator'}
          </a>
        ))}
      </p>
      <Failure text={failure} />
      {made?.key && <Secret value={made.key}>This is the widget key for {made.origins.join(', ')}.</Secret>}
      {keys.length === 0 && <p class="fine">Your validator has no widget keys.</p>}
      <Entries label="Active widget keys">
        {keys.map((key) => (
          <Entry
            key={key.id}
            title={key.origins.join(', ')}
            facts={[
              validators.length > 1 && <Address key="validator" value={key.validator} />,
              <>
                Key hlw_{key.id}…, created on <When value={key.created_at} />,{' '}
                {key.last_used_at ? 'last used on ' : 'never used'}
                {key.last_used_at && <When value={key.last_used_at} withTime />}.
              </>,
            ]}
            buttons={
              <Confirmed
                text="Revoke"
                of={`the widget key for ${key.origins.join(', ')}`}
                question="Revoke this widget key?"
                yes="Revoke"
                act={() => end(key)}
              >
                <p>Widgets with this key stop working at once. A revoked key cannot be restored.</p>
              </Confirmed>
            }
          />
        ))}
      </Entries>
      <NewKey validators={validators} make={(wanted) => make(() => send('POST', PATHS.widgetKeys, wanted))} />
    </Section>
  );
}

interface NewKeyProps {
  readonly validators: WidgetKeyList['validators'];
  readonly make: (wanted: NewWidgetKey) => Promise<boolean>;
}

function NewKey({ validators, make }: NewKeyProps) {
  const [text, setText] = useState('');
  const [validator, setValidator] = useState(validators[0]!.validator);
  const origins = originsIn(text);
  const submit = async () => {
    if (origins.length > 0 && (await make({ validator, origins }))) setText('');
  };
  return (
    <Folded title="Create a widget key" submit={submit}>
      {validators.length > 1 && (
        <div class="field">
          <label for="widget-validator">Validator</label>
          <select
            id="widget-validator"
            value={validator}
            onChange={({ currentTarget }) => setValidator(currentTarget.value)}
          >
            {validators.map((one) => (
              <option key={one.validator} value={one.validator}>
                {one.moniker || one.validator}
              </option>
            ))}
          </select>
        </div>
      )}
      <div class="field">
        <label for="widget-origins">Your site, one URL per line</label>
        <textarea
          id="widget-origins"
          rows={2}
          placeholder="https://validator.example"
          spellcheck={false}
          autocomplete="off"
          aria-describedby="widget-origins-hint"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <p id="widget-origins-hint" class="hint">
          Visitors can read the key in your page, so it works only on the sites that you list here.
        </p>
      </div>
      <p>
        <button type="submit" class="button small" disabled={origins.length === 0}>
          Create widget key
        </button>
      </p>
    </Folded>
  );
}

/**
 * Reduces URLs to origins, because browsers send only origins. Leaves invalid texts unchanged, so that the server's
 * error can name them.
 */
function originsIn(text: string): string[] {
  const given = text.split(/[\s,]+/).filter(Boolean);
  return [...new Set(given.map((one) => (/^https?:\/\//i.test(one) && URL.canParse(one) ? new URL(one).origin : one)))];
}
