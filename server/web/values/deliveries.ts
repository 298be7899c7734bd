import type { WebhookDelivery } from '../../../schemas/types.generated.js';

export const EVENTS = {
  'release.published': 'a new release of the node software',
  'upgrade.scheduled': 'an upgrade that the chain has scheduled',
  'upgrade.cancelled': 'an upgrade that is canceled or moved to another height',
  'webhook.test': 'a test',
} as const;

type Outcome = 'arrived' | 'waiting' | 'failed';

const OUTCOMES: Readonly<Record<WebhookDelivery['status'], Outcome>> = {
  delivered: 'arrived',
  pending: 'waiting',
  failed: 'failed',
};

export const outcomeOf = ({ status }: WebhookDelivery): Outcome => OUTCOMES[status];

/** Explains why the last attempt failed and what to do; '' if it succeeded or none was made. */
export function reasonOf({ status, attempts, response_status: answer, error }: WebhookDelivery): string {
  if (status === 'delivered') return '';
  if (answer !== null && answer >= 300 && answer < 400) {
    return `Your server answered ${answer}, a redirect: use the final URL instead.`;
  }
  if (answer === 401 || answer === 403) return `Your server answered ${answer}: it refused the message.`;
  if (answer === 404 || answer === 410) return `Your server answered ${answer}: this URL does not exist there.`;
  if (answer !== null && answer >= 500) return `Your server answered ${answer}: it failed.`;
  if (answer !== null) return `Your server answered ${answer} instead of 2xx.`;
  if (attempts === 0) return error === null ? '' : `${error[0]!.toUpperCase()}${error.slice(1)}.`;
  return 'There was no answer over https within 8 seconds. Is the URL reachable from the internet, with a valid certificate?';
}

export const attemptsOf = ({ attempts }: WebhookDelivery): string =>
  attempts === 0 ? 'no attempt yet' : attempts === 1 ? '1 attempt' : `${attempts} attempts`;
