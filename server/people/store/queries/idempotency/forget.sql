delete from idempotent_requests where request_hash in (
  select request_hash from idempotent_requests where expires_at <= $now limit 5000 for update skip locked
)
