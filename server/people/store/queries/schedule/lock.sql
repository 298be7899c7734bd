-- Locks a job until it is unlocked on the same connection. The lock is not bound to a transaction, because the job does
-- not run in one.
select pg_try_advisory_lock(hashtextextended('hubledger schedule ' || $job::text, 0)) as held
