-- name: add
-- Adds a key. Returns no row if the validator already has $max active keys. Also deletes revoked keys, except the
-- newest $max.
with old as (
  delete from widget_keys where id in (
    select id from widget_keys
    where validator = $validator::text and revoked_at is not null
    order by created_at desc, id offset $max::integer
  )
)
insert into widget_keys (id, validator, origins, secret_hash, created_at)
select $id::text, $validator::text, $origins::text[], $hash::bytea, $now::timestamptz
where (
  select count(*) from widget_keys where validator = $validator::text and revoked_at is null
) < $max::integer
returning id, validator, origins, created_at, last_used_at, revoked_at

-- name: all
-- Lists the keys of $validators; null lists all keys.
select id, validator, origins, created_at, last_used_at, revoked_at from widget_keys
where $validators::text[] is null or validator = any ($validators::text[])
order by created_at, id

-- name: find
select validator, origins, secret_hash as hash, last_used_at from widget_keys
where id = $id and revoked_at is null

-- name: revoke
-- Revokes a key. $validators is null if the operator of the service revokes it. A second call does not change
-- revoked_at.
update widget_keys set revoked_at = coalesce(revoked_at, $now)
where id = $id and ($validators::text[] is null or validator = any ($validators::text[]))
returning id

-- name: used
update widget_keys set last_used_at = $hour
where id = $id and (last_used_at is null or last_used_at < $hour)
