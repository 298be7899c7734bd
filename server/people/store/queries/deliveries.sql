-- name: add
-- Adds a delivery even if the webhook is not subscribed to the event type.
insert into webhook_deliveries (id, webhook_id, event_id, type, body, created_at, next_attempt_at)
select gen_random_uuid(), webhook.id, $event::uuid, $type, $body, $now::timestamptz, $now::timestamptz
from webhooks webhook
where webhook.id::text = $id and account_id = $account
returning id, event_id, type, status, attempts, response_status, error, created_at, next_attempt_at, delivered_at

-- name: claim
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

-- name: delivered
update webhook_deliveries
set status = 'delivered', response_status = $status::integer, error = null, next_attempt_at = null, delivered_at = $now
where id = $id

-- name: forget
delete from webhook_deliveries where created_at < $before and status <> 'pending'

-- name: latest-tests
select created_at from webhook_deliveries
where webhook_id::text = $id and type = 'webhook.test' and created_at > $since
order by created_at desc
limit $max

-- name: of-webhook
select id, event_id, type, status, attempts, response_status, error, created_at, next_attempt_at, delivered_at
from webhook_deliveries
where webhook_id::text = $id
order by created_at desc, id
limit $max

-- name: publish
-- Adds a delivery for each subscribed webhook. If the last $failures_max deliveries to a webhook failed, the new
-- delivery is recorded as failed and not sent. After a successful test delivery, later deliveries are sent again.
insert into webhook_deliveries (id, webhook_id, event_id, type, body, created_at, next_attempt_at, status, error)
select
  gen_random_uuid(), webhook.id, $event::uuid, $type::text, $body, $now::timestamptz,
  case when not is_stopped then $now::timestamptz end,
  case when is_stopped then 'failed' else 'pending' end,
  case when is_stopped then $stopped::text end
from webhooks webhook
cross join lateral (
  select count(*) = $failures_max::integer and bool_and(status = 'failed') as is_stopped
  from (
    select status from webhook_deliveries
    where webhook_id = webhook.id and (status = 'delivered' or (status = 'failed' and type <> 'webhook.test'))
    order by created_at desc, id
    limit $failures_max::integer
  ) latest
) log
where $type::text = any(events)

-- name: refused
update webhook_deliveries set response_status = $status::integer, error = $error where id = $id
