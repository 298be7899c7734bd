/** Webhook events. An event is written once: every endpoint gets the same bytes at every attempt. */
import { randomUUID } from 'node:crypto';
import type { WebhookEventType } from '../../schemas/types.generated.js';

/** Makes an event. @returns values of the queries deliveries/add and deliveries/publish */
export function newEvent(type: WebhookEventType, data: object, now: Date) {
  const event = randomUUID();
  return { event, type, body: JSON.stringify({ id: event, type, created_at: now.toISOString(), data }), now };
}
