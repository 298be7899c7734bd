-- name: claim
-- Claims a scheduled time of a job. Returns no row if the job has already been started for this time or a later one.
-- Ignores a stored time after $latest, which must come from a wrong clock.
update scheduled_jobs set last_time = $time
where job = $job and (last_time < $time or last_time > $latest)
returning job

-- name: ensure
insert into scheduled_jobs (job, last_time) values ($job, '-infinity')
on conflict (job) do nothing

-- name: lock
-- Locks a job until it is unlocked on the same connection. The lock is not bound to a transaction, because the job does
-- not run in one.
select pg_try_advisory_lock(hashtextextended('hubledger schedule ' || $job::text, 0)) as held

-- name: unlock
select pg_advisory_unlock(hashtextextended('hubledger schedule ' || $job::text, 0))
