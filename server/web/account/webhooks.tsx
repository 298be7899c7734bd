import { useEffect, useState } from 'preact/hooks';
import type {
  NewWebhook,
  Webhook,
  WebhookDeliveries,
  WebhookDelivery,
  WebhookEventType,
  Webhooks as WebhookList,
} from '../../../schemas/types.generated.js';
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
import { deliveryWords, EVENTS } from './words.js';

export function Webhooks() {
  const { list, isBusy, failure, change, remove } = useAccountList<WebhookList>(PATHS.webhooks);
  const { made, make, hide } = useSecret<Webhook>({ change });
  /** Number of test deliveries per webhook. When the number changes, the webhook's log reloads. */
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

interface WebhookFormProps extends NewWebhook {
  readonly id: string;
  readonly title: string;
  readonly submit: string;
  readonly save: (wanted: NewWebhook) => Promise<boolean>;
}

const OFFERED: readonly WebhookEventType[] = [
  'release.published',
  'upgrade.scheduled',
  'upgrade.cancelled',
  'dataset.restated',
];

function WebhookForm({ id, title, submit, save, ...given }: WebhookFormProps) {
  const [url, setUrl] = useState(given.url);
  const [events, setEvents] = useState<readonly WebhookEventType[]>(given.events);
  const isReady = url.trim() !== '' && events.length > 0;
  const send = async () => {
    if (isReady && (await save({ url: url.trim(), events: [...events] })) && given.url === '') setUrl('');
  };
  return (
    <Folded title={title} submit={send}>
      <div class="field">
        <label for={`webhook-${id}`}>URL of your server</label>
        <input
          id={`webhook-${id}`}
          type="url"
          maxLength={2000}
          autocomplete="off"
          value={url}
          aria-describedby={`webhook-${id}-hint`}
          onInput={(event) => setUrl(event.currentTarget.value)}
        />
        <p id={`webhook-${id}-hint`} class="hint">
          It must begin with https:// and be reachable from the internet.
        </p>
      </div>
      <Choices
        legend="Events"
        offered={OFFERED}
        chosen={events}
        choose={setEvents}
        wordsOf={(event) => EVENTS[event]}
      />
      <p>
        <button type="submit" class="button small" disabled={!isReady}>
          {submit}
        </button>
      </p>
    </Folded>
  );
}

/** Interval between reloads of the log while deliveries are pending. */
const POLL_MS = 3000;
const POLLS_MAX = 20;

interface DeliveriesProps {
  readonly webhook: string;
  readonly tests: number;
}

function Deliveries({ webhook, tests }: DeliveriesProps) {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => setOpen(tests > 0), [tests]);
  return (
    <details class="log" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Delivery log</summary>
      {isOpen && <Log webhook={webhook} key={tests} />}
    </details>
  );
}

function Log({ webhook }: { readonly webhook: string }) {
  const { list, isBusy, failure, reload } = useAccountList<WebhookDeliveries>(`${PATHS.webhook(webhook)}/deliveries`);
  const [looks, setLooks] = useState(0);
  const isMoving = list?.deliveries.some((one) => one.status === 'pending' && one.attempts === 0) ?? false;
  useEffect(() => {
    if (!isMoving || looks === POLLS_MAX) return;
    const timer = setTimeout(() => void reload().then(() => setLooks(looks + 1)), POLL_MS);
    return () => clearTimeout(timer);
  }, [isMoving, looks]);
  return (
    <>
      <Failure text={failure} />
      {list?.deliveries.length === 0 && <p class="fine">Nothing yet.</p>}
      <ul aria-live="polite" aria-busy={isBusy}>
        {list?.deliveries.map((delivery) => (
          <Line key={delivery.id} of={delivery} />
        ))}
      </ul>
    </>
  );
}

const WORDS = { arrived: 'Delivered', waiting: 'Pending', failed: 'Failed' } as const;

function Line({ of: delivery }: { readonly of: WebhookDelivery }) {
  const { outcome, attempts, reason } = deliveryWords(delivery);
  const { type, created_at, delivered_at, next_attempt_at } = delivery;
  return (
    <li>
      <p>
        <span class={`mark ${outcome}`}>{WORDS[outcome]}</span> {EVENTS[type]}, <When value={created_at} withTime />:{' '}
        {attempts}
        {delivered_at && (
          <>
            , delivered on <When value={delivered_at} withTime />
          </>
        )}
        {next_attempt_at && delivery.attempts > 0 && (
          <>
            , next on <When value={next_attempt_at} withTime />
          </>
        )}
        .
      </p>
      {reason && <p class="fine">{reason}</p>}
    </li>
  );
}
