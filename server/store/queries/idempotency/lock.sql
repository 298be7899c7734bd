-- Held until the transaction ends, or its server dies.
select pg_try_advisory_xact_lock($number::text::bigint) as is_first
