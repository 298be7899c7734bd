-- A lock of the transaction; the number is 'hub' in ASCII.
select pg_advisory_xact_lock(6845794)
