-- Counts the account's keys that are still stored, and returns the time at which the oldest of them expires.
select count(*)::integer as keys, min(expires_at) as oldest_expires_at
from idempotent_requests
where account_id = $account and expires_at > $now
