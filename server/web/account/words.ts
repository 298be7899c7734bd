/** Makes the texts about deliveries, saved decisions, lots, and errors in forms. */
import { USUAL } from '../../../pipeline/books/terms.js';
import type { AssetDecision, Problem, StatedLot, WebhookDelivery } from '../../../schemas/types.generated.js';
import { readableDay } from '../values/dates.js';
import { counted, listed } from '../values/decimal.js';

export const EVENTS = {
  'release.published': 'a new release of the node software',
  'upgrade.scheduled': 'an upgrade that the chain has scheduled',
  'upgrade.cancelled': 'an upgrade that is canceled or moved to another height',
  'dataset.restated': 'changed figures of closed months',
  'webhook.test': 'a test',
} as const;

type Outcome = 'arrived' | 'waiting' | 'failed';

const OUTCOMES: Readonly<Record<WebhookDelivery['status'], Outcome>> = {
  delivered: 'arrived',
  pending: 'waiting',
  failed: 'failed',
};

interface DeliveryWords {
  readonly outcome: Outcome;
  readonly attempts: string;
  /** Why the last delivery attempt failed, and what to do. '' if the attempt succeeded or there was no attempt. */
  readonly reason: string;
}

export const deliveryWords = (delivery: WebhookDelivery): DeliveryWords => ({
  outcome: OUTCOMES[delivery.status],
  attempts: delivery.attempts === 0 ? 'no attempt yet' : counted(delivery.attempts, 'attempt'),
  reason: reasonOf(delivery),
});

function reasonOf({ status, attempts, response_status: responseStatus, error }: WebhookDelivery): string {
  if (status === 'delivered') return '';
  if (responseStatus !== null && responseStatus >= 300 && responseStatus < 400) {
    return `Your server answered ${responseStatus}, a redirect: use the final URL instead.`;
  }
  if (responseStatus === 401 || responseStatus === 403)
    return `Your server answered ${responseStatus}: it refused the message.`;
  if (responseStatus === 404 || responseStatus === 410)
    return `Your server answered ${responseStatus}: this URL does not exist there.`;
  if (responseStatus !== null && responseStatus >= 500) return `Your server answered ${responseStatus}: it failed.`;
  if (responseStatus !== null) return `Your server answered ${responseStatus} instead of 2xx.`;
  if (attempts === 0) return error === null ? '' : `${error[0]!.toUpperCase()}${error.slice(1)}.`;
  return 'There was no answer over https within 8 seconds. Is the URL reachable from the internet, with a valid certificate?';
}

const MANY: Readonly<Record<string, string>> = {
  '*': 'Every suspicious incoming transfer without a decision of its own',
  '*:suspected_spam': 'Every incoming transfer that looks like spam',
  '*:identity_mismatch': 'Every incoming transfer that imitates another coin',
};

/**
 * Describes the key of a decision about many rows, such as `*:spam`; undefined if the key is the id of a single row.
 */
export function manyWords(key: string): string | undefined {
  if (!key.startsWith('*')) return undefined;
  return MANY[key] ?? `Every suspicious incoming transfer from ${key.slice(2)}`;
}

export function decisionWords(decision: AssetDecision): string {
  const { mode, token, quantity, acquired_date: day, currency } = decision;
  if (mode === 'exclude') return 'left out';
  if (mode === 'keep') return 'kept as it is';
  if (mode === 'return') return 'came home: you had sent these coins to a place of your own before';
  const value = moneyText(decision.value_usd, decision.value, currency);
  const cost = moneyText(decision.cost_basis_usd, decision.cost_basis, currency);
  const parts = [
    token && `it is ${token}`,
    quantity && `it is ${listed(quantity)} coins`,
    value && `it was worth ${value}`,
    cost && `it cost ${cost}`,
    day && `acquired on ${readableDay(day)}`,
  ];
  return `corrected: ${parts.filter(Boolean).join(', ')}`;
}

export const lotWords = ({
  quantity,
  denom,
  acquired_date: day,
  cost_basis_usd,
  cost_basis,
  currency,
}: StatedLot): string =>
  `${listed(quantity)} ${symbolOf(denom)}, acquired on ${readableDay(day)} for ${moneyText(cost_basis_usd, cost_basis, currency)}`;

/** Returns stated money with its currency; '' if none is stated. */
function moneyText(usual: string | undefined, foreign: string | undefined, currency: string | undefined): string {
  if (foreign !== undefined) return `${listed(foreign)} ${currency}`;
  return usual === undefined ? '' : `${USUAL.currency.symbol}${listed(usual)}`;
}

/** Converts a native coin's denom to its symbol (`uatom` to ATOM). Other denoms stay unchanged. */
const symbolOf = (denom: string): string => /^u([a-z]{3,})$/.exec(denom)?.[1]?.toUpperCase() ?? denom;

const FIELDS: Readonly<Record<string, string>> = {
  url: 'The URL',
  events: 'The list of events',
  name: 'The name',
  scopes: 'The list of permissions',
  expires_at: 'The end',
  contract_address: 'The address',
  note: 'The note',
  origins: 'Each URL',
};

export function explain({ errors }: Problem): string | undefined {
  if (!errors || errors.length === 0) return undefined;
  return errors.map(({ path, message }) => `${FIELDS[path.split('/')[0]!] ?? path} ${message}.`).join(' ');
}
