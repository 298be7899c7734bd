-- For every endpoint that has subscribed to the event.
insert into webhook_deliveries (id, webhook_id, event_id, type, body, created_at, next_attempt_at)
select gen_random_uuid(), webhook.id, $event::uuid, $type::text, $body, $now::timestamptz, $now::timestamptz
from webhooks webhook
where $type::text = any(events)
