-- Claims a scheduled time. Returns no row if the job already started for this time or a later one. Ignores a stored
-- time after $latest, which a wrong clock caused.
update scheduled_jobs set last_time = $time
where job = $job and (last_time < $time or last_time > $latest)
returning job
