-- Of several that ask at once, each gets others. An attempt is booked as failed before it is made: a process that dies then costs one.
with due as (
  select id from webhook_deliveries
  where status = 'pending' and next_attempt_at <= $now
  order by next_attempt_at, id
  limit $most
  for update skip locked
)
update webhook_deliveries delivery
set
  attempts = delivery.attempts + 1,
  next_attempt_at = $now::timestamptz + ($waits::integer[])[delivery.attempts + 1] * interval '1 second',
  status = case when delivery.attempts < cardinality($waits::integer[]) then 'pending' else 'failed' end
from due, webhooks webhook
where delivery.id = due.id and webhook.id = delivery.webhook_id
returning delivery.id, event_id, body, url, secret, case when previous_secret_until > $now then previous_secret end as previous_secret
