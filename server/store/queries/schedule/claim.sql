-- No row if the job already started for this time or a later one. A time after $latest comes from a wrong clock.
update scheduled_jobs set last_time = $time
where job = $job and (last_time < $time or last_time > $latest)
returning job
