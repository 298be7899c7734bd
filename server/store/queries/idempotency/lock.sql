-- A lock of the transaction; it also ends with the server.
select pg_try_advisory_xact_lock($number::text::bigint) as is_first
