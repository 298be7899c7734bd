import { useState } from 'preact/hooks';
import type {
  NewWebhook,
  Webhook,
  WebhookDelivery,
  Webhooks as WebhookList,
} from '../../../../schemas/types.generated.js';
import { send } from '../../api/client.js';
import { PATHS } from '../../api/paths.js';
import { Section } from '../../parts/section.js';
import { EVENTS } from '../../values/deliveries.js';
import { Confirmed } from '../parts/confirmed.js';
import { Entries, Entry } from '../parts/entries.js';
import { Failure } from '../parts/failure.js';
import { Secret } from '../parts/secret.js';
import { useSecret } from '../parts/use-made.js';
import { useAccountList } from '../parts/use-own.js';
import { When } from '../parts/when.js';
import { Deliveries } from './deliveries.js';
import { WebhookForm } from './webhook-form.js';

export function Webhooks() {
  const { list, isBusy, failure, change, remove } = useAccountList<WebhookList>(PATHS.webhooks);
  const { made, make, hide } = useSecret<Webhook>({ change });
  /** Test counters; a change reloads that webhook's log. */
  const [tests, setTests] = useState<Readonly<Record<string, number>>>({});
  const webhooks = list?.webhooks ?? [];
  const end = ({ id }: Webhook) => {
    hide();
    return remove(() => send('DELETE', PATHS.webhook(id)), 'webhooks');
  };
  const test = async ({ id }: Webhook) => {
    const sent = await change(() => send<WebhookDelivery>('POST', `${PATHS.webhook(id)}/test`));
    if (sent) setTests({ ...tests, [id]: (tests[id] ?? 0) + 1 });
  };
  return (
    <Section id="webhooks" title="Webhooks" isBusy={isBusy}>
      <p class="lead">
        A webhook is a URL on your own server. It receives a signed message when node software is released, and when the
        chain schedules an upgrade. <a href="/docs/webhooks">How to receive it</a>
      </p>
      <Failure text={failure} />
      {made?.secret && <Secret value={made.secret}>This secret signs the messages to {made.url}.</Secret>}
      {list && webhooks.length === 0 && <p class="fine">You have no webhooks.</p>}
      <Entries label="Webhooks">
        {webhooks.map((webhook) => (
          <Entry
            key={webhook.id}
            title={webhook.url}
            facts={[
              <>Events: {webhook.events.map((event) => EVENTS[event]).join('; ')}.</>,
              <Dates key="dates" of={webhook} />,
            ]}
            buttons={
              <>
                <button type="button" class="quiet small" onClick={() => void test(webhook)}>
                  Send a test<span class="whole"> to {webhook.url}</span>
                </button>
                <Confirmed
                  text="Rotate"
                  of={webhook.url}
                  question="Rotate the secret of this webhook?"
                  yes="Rotate"
                  act={() => make(() => send('POST', `${PATHS.webhook(webhook.id)}/rotate-secret`))}
                >
                  <p>
                    Messages to {webhook.url} have both signatures for a day, so that you have time to update your
                    server. After that, the old secret stops working.
                  </p>
                </Confirmed>
                <Confirmed
                  text="Delete"
                  of={webhook.url}
                  question="Delete this webhook?"
                  yes="Delete it"
                  act={() => end(webhook)}
                >
                  <p>{webhook.url} receives no further messages, and its delivery log is deleted.</p>
                </Confirmed>
              </>
            }
          >
            <Deliveries webhook={webhook.id} tests={tests[webhook.id] ?? 0} />
            <WebhookForm
              key={`${webhook.url} ${webhook.events.join()}`}
              id={webhook.id}
              title="Change"
              url={webhook.url}
              events={webhook.events}
              submit="Save"
              save={async (wanted) =>
                (await change(() => send<Webhook>('PATCH', PATHS.webhook(webhook.id), wanted))) !== undefined
              }
            />
          </Entry>
        ))}
      </Entries>
      <WebhookForm
        id="new"
        title="Create a webhook"
        url=""
        events={['release.published', 'upgrade.scheduled', 'upgrade.cancelled']}
        submit="Create webhook"
        save={(wanted: NewWebhook) => make(() => send('POST', PATHS.webhooks, wanted))}
      />
    </Section>
  );
}

const Dates = ({ of: { created_at, previous_secret_until } }: { readonly of: Webhook }) => (
  <>
    Created on <When value={created_at} />
    {previous_secret_until && (
      <>
        ; the previous secret also signs until <When value={previous_secret_until} withTime />
      </>
    )}
    .
  </>
);
