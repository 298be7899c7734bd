-- Claims due deliveries. Concurrent calls claim different deliveries. Records each attempt as failed in advance, so
-- that a crash costs only this attempt. The retry delay also starts now, so that it does not reveal the attempt's
-- duration. Limits the attempts in progress per webhook and account. $webhooks and $accounts list the attempts in
-- progress of this process.
with waiting as (
  select
    delivery.id, webhook_id, account_id, next_attempt_at,
    row_number() over (partition by webhook_id order by next_attempt_at, delivery.id) as place
  from webhook_deliveries delivery
  join webhooks webhook on webhook.id = webhook_id
  where status = 'pending' and next_attempt_at <= $now
), next_of_webhooks as (
  select id, account_id, row_number() over (partition by account_id order by next_attempt_at, id) as place
  from waiting
  where place + (select count(*) from unnest($webhooks::text[]) busy where busy = webhook_id::text) <= $webhook_max::integer
), due as (
  select id from webhook_deliveries
  where status = 'pending' and next_attempt_at <= $now and id in (
    select id from next_of_webhooks
    where place + (select count(*) from unnest($accounts::text[]) busy where busy = account_id::text) <= $account_max::integer
  )
  order by next_attempt_at, id
  limit $max
  for update skip locked
)
update webhook_deliveries delivery
set
  attempts = delivery.attempts + 1,
  next_attempt_at = case when type <> 'webhook.test' then
    $now::timestamptz + ($waits::integer[])[delivery.attempts + 1] * interval '1 second' end,
  status = case when type <> 'webhook.test' and delivery.attempts < cardinality($waits::integer[]) then 'pending' else 'failed' end
from due, webhooks webhook
where delivery.id = due.id and webhook.id = delivery.webhook_id
returning
  delivery.id, webhook_id, account_id, event_id, body, url, secret,
  array(
    select former.secret from webhook_former_secrets former
    where former.webhook_id = webhook.id and signs_until > $now
    order by signs_until desc
  ) as former_secrets
