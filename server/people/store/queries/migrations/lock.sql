-- Takes the lock for migrations until the transaction ends. The lock's number is 'hub' in ASCII.
select pg_advisory_xact_lock(6845794)
