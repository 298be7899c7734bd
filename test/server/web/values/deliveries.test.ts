/** Deliveries of webhooks in plain words. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSchema } from '../../../../pipeline/project.js';
import type { WebhookDelivery } from '../../../../schemas/types.generated.js';
import { attemptsOf, EVENTS, outcomeOf, reasonOf } from '../../../../server/web/values/deliveries.js';

const delivery = (change: Partial<WebhookDelivery>): WebhookDelivery => ({
  id: 'd',
  event_id: 'e',
  type: 'webhook.test',
  status: 'failed',
  attempts: 1,
  response_status: null,
  error: null,
  created_at: '2026-06-01T00:00:00Z',
  next_attempt_at: null,
  delivered_at: null,
  ...change,
});
const refusedWith = (response_status: number) =>
  reasonOf(delivery({ response_status, error: `answers ${response_status}` }));

test('every event and every outcome has words', () => {
  const { oneOf } = readSchema<{ oneOf: { const: string }[] }>('webhook-event-type.json');
  assert.deepEqual(Object.keys(EVENTS).sort(), oneOf.map((type) => type.const).sort());
  const outcomes = (['pending', 'delivered', 'failed'] as const).map((status) => outcomeOf(delivery({ status })));
  assert.deepEqual(outcomes, ['waiting', 'arrived', 'failed']);
  assert.deepEqual(
    [0, 1, 8].map((attempts) => attemptsOf(delivery({ attempts }))),
    ['no attempt yet', '1 attempt', '8 attempts'],
  );
});

test('what failed is told with what helps, by what the server answered', () => {
  assert.match(refusedWith(301), /use the final URL/);
  assert.match(refusedWith(403), /refused the message/);
  assert.match(refusedWith(404), /does not exist there/);
  assert.match(refusedWith(500), /answered 500: it failed/);
  assert.match(refusedWith(418), /answered 418 instead of 2xx/);
  assert.match(reasonOf(delivery({ error: 'no answer over https within 8 seconds' })), /with a valid certificate\?$/);
  assert.equal(reasonOf(delivery({ attempts: 0, error: 'not sent: five failed' })), 'Not sent: five failed.');
});

test('what arrived, or waits for its first attempt, needs no reason', () => {
  assert.equal(reasonOf(delivery({ status: 'delivered', response_status: 200 })), '');
  assert.equal(reasonOf(delivery({ status: 'pending', attempts: 0 })), '');
});
