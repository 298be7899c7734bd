/** A webhook's delivery log: each attempt, its result, and the reason for a failure. */
import { useEffect, useState } from 'preact/hooks';
import type { WebhookDeliveries, WebhookDelivery } from '../../../../schemas/types.generated.js';
import { PATHS } from '../../api/paths.js';
import { attemptsOf, EVENTS, outcomeOf, reasonOf } from '../../values/deliveries.js';
import { Failure } from '../parts/failure.js';
import { useAccountList } from '../parts/use-own.js';
import { When } from '../parts/when.js';

/** Polling interval for pending deliveries, and the most polls. */
const POLL_MS = 3000;
const POLLS_MAX = 20;

interface DeliveriesProps {
  readonly webhook: string;
  /** Number of tests sent from this page; each new test opens the log. */
  readonly tests: number;
}

export function Deliveries({ webhook, tests }: DeliveriesProps) {
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
  const outcome = outcomeOf(delivery);
  const { type, created_at, delivered_at, next_attempt_at, attempts } = delivery;
  return (
    <li>
      <p>
        <span class={`mark ${outcome}`}>{WORDS[outcome]}</span> {EVENTS[type]}, <When value={created_at} withTime />:{' '}
        {attemptsOf(delivery)}
        {delivered_at && (
          <>
            , delivered on <When value={delivered_at} withTime />
          </>
        )}
        {next_attempt_at && attempts > 0 && (
          <>
            , next on <When value={next_attempt_at} withTime />
          </>
        )}
        .
      </p>
      {reasonOf(delivery) && <p class="fine">{reasonOf(delivery)}</p>}
    </li>
  );
}
