-- Locks a webhook, so that concurrent test deliveries to it run one after another.
select id from webhooks where id::text = $id and account_id = $account for update
