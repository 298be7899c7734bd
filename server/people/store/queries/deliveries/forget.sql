delete from webhook_deliveries where created_at < $before and status <> 'pending'
