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
