import type { WebhookDelivery } from '../../../schemas/types.generated.js';

export const EVENTS = {
  'release.published': 'a new release of the node software',
  'upgrade.scheduled': 'an upgrade that the chain has decided on',
  'upgrade.cancelled': 'an upgrade that does not come, or comes at another height',
  'webhook.test': 'a test',
} as const;

export type Outcome = 'arrived' | 'waiting' | 'failed';

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
    return `Your server answered ${answer}, which leads elsewhere: give the address that it leads to.`;
  }
  if (answer === 401 || answer === 403) return `Your server answered ${answer}: it does not let the message in.`;
  if (answer === 404 || answer === 410) return `Your server answered ${answer}: there is nothing at this address.`;
  if (answer !== null && answer >= 500) return `Your server answered ${answer}: it failed while it took the message.`;
  if (answer !== null) return `Your server answered ${answer}, and not 2xx.`;
  if (attempts === 0) return error === null ? '' : `${error[0]!.toUpperCase()}${error.slice(1)}.`;
  return 'There was no answer over https within 8 seconds. Does the address open from outside, with a valid certificate?';
}

export const attemptsOf = ({ attempts }: WebhookDelivery): string =>
  attempts === 0 ? 'no attempt yet' : attempts === 1 ? '1 attempt' : `${attempts} attempts`;
