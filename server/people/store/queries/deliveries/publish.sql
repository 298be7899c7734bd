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
