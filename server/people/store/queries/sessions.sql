-- name: add
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

-- name: find
select account_id as account, created_at, last_used_at, expires_at from sessions where token_hash = $hash and expires_at > $now

-- name: forget
delete from sessions where token_hash in (
  select token_hash from sessions where expires_at <= $now limit 5000 for update skip locked
)

-- name: of-account
-- Lists an account's sessions. A session's id is the start of its token's hash, which does not reveal the token.
select encode(substring(token_hash from 1 for 8), 'hex') as id, device, created_at, last_used_at, expires_at, token_hash = $hash as current
from sessions
where account_id = $account and expires_at > $now
order by current desc, last_used_at desc, created_at desc, id

-- name: remove-all
delete from sessions where account_id = $account

-- name: remove-one
delete from sessions
where account_id = $account and encode(substring(token_hash from 1 for 8), 'hex') = $id
returning token_hash

-- name: remove-others
delete from sessions where account_id = $account and token_hash <> $hash

-- name: remove
delete from sessions where token_hash = $hash

-- name: renew
update sessions set expires_at = $expires where token_hash = $hash

-- name: used
with session as (
  update sessions set last_used_at = $hour::timestamptz
  where token_hash = $hash and last_used_at < $hour::timestamptz
  returning account_id
)
update accounts set last_used_at = greatest(last_used_at, $hour::timestamptz)
from session
where id = account_id
