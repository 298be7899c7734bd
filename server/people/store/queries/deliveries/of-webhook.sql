select id, event_id, type, status, attempts, response_status, error, created_at, next_attempt_at, delivered_at
from webhook_deliveries
where webhook_id::text = $id
order by created_at desc, id
limit $max
