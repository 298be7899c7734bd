-- Tries to lock an idempotency key. The lock ends with the transaction, even if the server crashes.
select pg_try_advisory_xact_lock($number::text::bigint) as is_first
