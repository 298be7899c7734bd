-- Serializes concurrent test deliveries of a webhook.
select id from webhooks where id::text = $id and account_id = $account for update
