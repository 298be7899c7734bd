update webhook_deliveries
set status = 'delivered', response_status = $status::integer, error = null, next_attempt_at = null, delivered_at = $now
where id = $id
