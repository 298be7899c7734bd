-- Adds a delivery even if the webhook is not subscribed to the event type.
insert into webhook_deliveries (id, webhook_id, event_id, type, body, created_at, next_attempt_at)
select gen_random_uuid(), webhook.id, $event::uuid, $type, $body, $now::timestamptz, $now::timestamptz
from webhooks webhook
where webhook.id::text = $id and account_id = $account
returning id, event_id, type, status, attempts, response_status, error, created_at, next_attempt_at, delivered_at
