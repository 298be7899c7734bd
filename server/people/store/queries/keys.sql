-- name: add
-- Adds a key. Returns no row if the account already has $max active keys. Also deletes inactive keys, except the newest
-- $max.
with old as (
  delete from api_keys where id in (
    select id from api_keys
    where account_id = $account::uuid and (revoked_at is not null or expires_at <= $now::timestamptz)
    order by created_at desc, id offset $max::integer
  )
)
insert into api_keys (id, account_id, name, secret_hash, scopes, created_at, expires_at)
select $id::text, $account::uuid, $name::text, $hash::bytea, $scopes::text[], $now::timestamptz, $expires::timestamptz
where (
  select count(*) from api_keys
  where account_id = $account::uuid and revoked_at is null and (expires_at is null or expires_at > $now::timestamptz)
) < $max::integer
returning id, name, scopes, created_at, expires_at, rotated_at, revoked_at, last_used_at, rate_limit, tier

-- name: all
select
  key.id, key.name, scopes, key.created_at, expires_at, rotated_at, revoked_at, key.last_used_at, rate_limit, tier,
  coalesce(account.name, account.id::text) as account
from api_keys key join accounts account on account.id = key.account_id
order by key.created_at, key.id

-- name: find
select account_id as account, secret_hash as hash, scopes, expires_at, revoked_at, last_used_at, rate_limit, tier
from api_keys
where id = $id

-- name: limit
-- Sets the limit of a key. If both $rate_limit and $tier are null, the key counts against its account's quota.
update api_keys set rate_limit = $rate_limit::integer, tier = $tier::text
where id = $id
returning id

-- name: of-account
select id, name, scopes, created_at, expires_at, rotated_at, revoked_at, last_used_at, rate_limit, tier
from api_keys
where account_id = $account
order by created_at, id

-- name: revoke
-- Revokes a key. $account is null if the operator of the service revokes it. A second call does not change revoked_at.
update api_keys set revoked_at = coalesce(revoked_at, $now)
where id = $id and ($account::uuid is null or account_id = $account)
returning id

-- name: rotate
update api_keys set secret_hash = $hash, rotated_at = $now
where id = $id and account_id = $account and revoked_at is null and (expires_at is null or expires_at > $now)
returning id, name, scopes, created_at, expires_at, rotated_at, revoked_at, last_used_at, rate_limit, tier

-- name: used
update api_keys set last_used_at = $hour
where id = $id and (last_used_at is null or last_used_at < $hour)
