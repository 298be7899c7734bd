import { useState } from 'preact/hooks';
import type { NewWebhook, WebhookEventType } from '../../../../schemas/types.generated.js';
import { EVENTS } from '../../values/deliveries.js';
import { Folded } from '../parts/folded.js';

interface WebhookFormProps extends NewWebhook {
  readonly id: string;
  readonly title: string;
  readonly submit: string;
  readonly save: (wanted: NewWebhook) => Promise<boolean>;
}

const OFFERED: readonly WebhookEventType[] = ['release.published', 'upgrade.scheduled', 'upgrade.cancelled'];

export function WebhookForm({ id, title, submit, save, ...given }: WebhookFormProps) {
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
      <fieldset class="field">
        <legend>Events</legend>
        {OFFERED.map((event) => (
          <label key={event} class="choice">
            <input
              type="checkbox"
              checked={events.includes(event)}
              onChange={({ currentTarget: { checked } }) =>
                setEvents(checked ? [...events, event] : events.filter((one) => one !== event))
              }
            />
            <span>
              {EVENTS[event]} <code>{event}</code>
            </span>
          </label>
        ))}
      </fieldset>
      <p>
        <button type="submit" class="button small" disabled={!isReady}>
          {submit}
        </button>
      </p>
    </Folded>
  );
}
