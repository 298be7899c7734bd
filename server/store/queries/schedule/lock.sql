-- A lock of the connection: the job runs outside a transaction.
select pg_try_advisory_lock(hashtextextended('hubledger schedule ' || $job::text, 0)) as held
