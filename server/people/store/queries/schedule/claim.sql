-- Claims a scheduled time of a job. Returns no row if the job has already been started for this time or a later one.
-- Ignores a stored time after $latest, which must come from a wrong clock.
update scheduled_jobs set last_time = $time
where job = $job and (last_time < $time or last_time > $latest)
returning job
