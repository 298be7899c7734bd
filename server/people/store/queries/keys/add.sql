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
