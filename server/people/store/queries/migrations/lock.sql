-- Locks migrations until the transaction ends. The number is 'hub' in ASCII.
select pg_advisory_xact_lock(6845794)
