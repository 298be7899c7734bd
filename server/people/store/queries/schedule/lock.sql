-- Locks a job on this connection, because the job does not run in a transaction.
select pg_try_advisory_lock(hashtextextended('hubledger schedule ' || $job::text, 0)) as held
