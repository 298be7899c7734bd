-- name: add
-- Adds a webhook. Returns no row if the account has reached its limit of webhooks.
insert into webhooks (id, account_id, url, events, secret, created_at)
select $id::uuid, $account::uuid, $url, $events::text[], $secret, $now::timestamptz
where (select count(*) from webhooks where account_id = $account::uuid) < $max::integer
returning id, url, events, created_at, previous_secret_until

-- name: change
update webhooks set url = coalesce($url::text, url), events = coalesce($events::text[], events)
where id::text = $id and account_id = $account
returning id, url, events, created_at, previous_secret_until

-- name: find
select id, url, events, created_at, previous_secret_until
from webhooks
where id::text = $id and account_id = $account

-- name: former-secrets
select secret, signs_until as until
from webhook_former_secrets
where webhook_id::text = $id and signs_until > $now
order by signs_until desc

-- name: lock
-- Locks a webhook, so that concurrent test deliveries to it run one after another.
select id from webhooks where id::text = $id and account_id = $account for update

-- name: of-account
select id, url, events, created_at, previous_secret_until
from webhooks
where account_id = $account
order by created_at, id

-- name: remove
delete from webhooks where id::text = $id and account_id = $account returning id

-- name: rotate
update webhooks
set
  earlier_secrets = $former::jsonb, previous_secret = secret, previous_secret_until = $until::timestamptz,
  secret = $secret
where id::text = $id and account_id = $account
returning id, url, events, created_at, previous_secret_until
