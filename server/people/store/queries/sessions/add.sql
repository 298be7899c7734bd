with gone as (
  delete from sessions
  where token_hash in (
    select token_hash from sessions where account_id = $account::uuid order by created_at desc, token_hash offset $others::integer
  )
), account as (
  update accounts set last_used_at = greatest(last_used_at, $now::timestamptz) where id = $account::uuid
)
insert into sessions (token_hash, account_id, device, created_at, last_used_at, expires_at)
values ($hash, $account::uuid, $device::text, $now::timestamptz, $now::timestamptz, $expires)
