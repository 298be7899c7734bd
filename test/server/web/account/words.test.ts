/** Texts of the account page: deliveries, saved decisions and lots, form errors. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSchema } from '../../../../pipeline/base/project.js';
import type { WebhookDelivery } from '../../../../schemas/types.generated.js';
import {
  decisionWords,
  deliveryWords,
  EVENTS,
  explain,
  lotWords,
  manyWords,
} from '../../../../server/web/account/words.js';

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
  deliveryWords(delivery({ response_status, error: `answers ${response_status}` })).reason;

test('every event and every outcome has words', () => {
  const { oneOf } = readSchema<{ oneOf: { const: string }[] }>('webhook-event-type.json');
  assert.deepEqual(Object.keys(EVENTS).sort(), oneOf.map((type) => type.const).sort());
  const outcomes = (['pending', 'delivered', 'failed'] as const).map(
    (status) => deliveryWords(delivery({ status })).outcome,
  );
  assert.deepEqual(outcomes, ['waiting', 'arrived', 'failed']);
  assert.deepEqual(
    [0, 1, 8].map((attempts) => deliveryWords(delivery({ attempts })).attempts),
    ['no attempt yet', '1 attempt', '8 attempts'],
  );
});

test('what failed is told with what helps, by what the server answered', () => {
  assert.match(refusedWith(301), /use the final URL/);
  assert.match(refusedWith(403), /refused the message/);
  assert.match(refusedWith(404), /does not exist there/);
  assert.match(refusedWith(500), /answered 500: it failed/);
  assert.match(refusedWith(418), /answered 418 instead of 2xx/);
  assert.match(
    deliveryWords(delivery({ error: 'no answer over https within 8 seconds' })).reason,
    /with a valid certificate\?$/,
  );
  assert.equal(
    deliveryWords(delivery({ attempts: 0, error: 'not sent: five failed' })).reason,
    'Not sent: five failed.',
  );
});

test('what arrived, or waits for its first attempt, needs no reason', () => {
  assert.equal(deliveryWords(delivery({ status: 'delivered', response_status: 200 })).reason, '');
  assert.equal(deliveryWords(delivery({ status: 'pending', attempts: 0 })).reason, '');
});

test('a decision says what counts instead', () => {
  assert.equal(decisionWords({ mode: 'exclude' }), 'left out');
  assert.equal(decisionWords({ mode: 'keep' }), 'kept as it is');
  assert.equal(
    decisionWords({ mode: 'override', value_usd: '5.00', cost_basis_usd: '3.10', acquired_date: '2026-03-01' }),
    'corrected: it was worth $5.00, it cost $3.10, acquired on 1 Mar 2026',
  );
  assert.equal(
    decisionWords({ mode: 'override', currency: 'EUR', value: '5.00', cost_basis: '3.10' }),
    'corrected: it was worth 5.00 EUR, it cost 3.10 EUR',
  );
  assert.equal(
    decisionWords({ mode: 'override', token: 'OSMO', quantity: '7' }),
    'corrected: it is OSMO, it is 7 coins',
  );
});

test('keys for many receipts have words, ids of rows have none', () => {
  assert.equal(manyWords('*:suspected_spam'), 'Every incoming transfer that looks like spam');
  assert.equal(manyWords('*:cosmos1sender'), 'Every suspicious incoming transfer from cosmos1sender');
  assert.equal(manyWords('19-8-13-0-in'), undefined);
});

test('a lot names the coin by its symbol where the denom tells it', () => {
  const lot = { denom: 'uatom', quantity: '20', acquired_date: '2024-03-01', cost_basis_usd: '200.00' };
  assert.equal(lotWords(lot), '20 ATOM, acquired on 1 Mar 2024 for $200.00');
  const { cost_basis_usd: _, ...uncosted } = lot;
  assert.match(lotWords({ ...uncosted, currency: 'EUR', cost_basis: '180' }), / for 180 EUR$/);
  assert.match(lotWords({ ...lot, denom: 'ibc/ABC' }), /^20 ibc\/ABC,/);
});

const problem = (errors?: { path: string; message: string }[]) =>
  ({ status: 422, code: 'validation_failed', errors }) as Parameters<typeof explain>[0];

test('each fault is a sentence that begins with the name of its field', () => {
  assert.equal(explain(problem([{ path: 'url', message: 'must be an https URL' }])), 'The URL must be an https URL.');
  const two = [
    { path: 'note', message: 'must name the country' },
    { path: 'scopes/1', message: 'is invalid' },
    { path: 'other', message: 'is required' },
  ];
  assert.equal(
    explain(problem(two)),
    'The note must name the country. The list of permissions is invalid. other is required.',
  );
});

test('a problem without faults is told by its detail elsewhere', () => {
  assert.equal(explain(problem()), undefined);
  assert.equal(explain(problem([])), undefined);
});
