-- Adds a webhook. Returns no row if the account has reached its limit of webhooks.
insert into webhooks (id, account_id, url, events, secret, created_at)
select $id::uuid, $account::uuid, $url, $events::text[], $secret, $now::timestamptz
where (select count(*) from webhooks where account_id = $account::uuid) < $max::integer
returning id, url, events, created_at, previous_secret_until
