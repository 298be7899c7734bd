select created_at from webhook_deliveries
where webhook_id::text = $id and type = 'webhook.test' and created_at > $since
order by created_at desc
limit $max
