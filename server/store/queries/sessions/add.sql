-- Those that are over go on this occasion, and the account's oldest beyond its number.
with gone as (
  delete from sessions
  where expires_at <= $now::timestamptz or token_hash in (
    select token_hash from sessions where account_id = $account::uuid order by created_at desc, token_hash offset $others::integer
  )
)
insert into sessions (token_hash, account_id, created_at, expires_at)
values ($hash, $account::uuid, $now::timestamptz, $expires)
