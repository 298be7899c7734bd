-- name: add
insert into idempotent_requests (request_hash, account_id, body_hash, sealed_answer, expires_at)
values ($hash, $account, $bodyHash, $answer, $expires)
on conflict (request_hash) do update
set body_hash = excluded.body_hash, sealed_answer = excluded.sealed_answer, expires_at = excluded.expires_at

-- name: count
-- Counts the account's keys that are still stored, and returns the time at which the oldest of them expires.
select count(*)::integer as keys, min(expires_at) as oldest_expires_at
from idempotent_requests
where account_id = $account and expires_at > $now

-- name: find
select body_hash, sealed_answer from idempotent_requests where request_hash = $hash and expires_at > $now

-- name: forget
delete from idempotent_requests where request_hash in (
  select request_hash from idempotent_requests where expires_at <= $now limit 5000 for update skip locked
)

-- name: lock
-- Tries to lock an idempotency key. The lock ends with the transaction, even if the server crashes.
select pg_try_advisory_xact_lock($number::text::bigint) as is_first
