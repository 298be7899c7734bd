-- A lock of the connection, which ends with it. No transaction is open while the job runs.
select pg_try_advisory_lock(hashtextextended('hubledger schedule ' || $job::text, 0)) as held
