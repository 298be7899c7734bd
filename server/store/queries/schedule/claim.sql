-- Nothing when the job was begun for this time or a later one; one later than $latest was begun by a clock that was wrong.
update scheduled_jobs set last_time = $time
where job = $job and (last_time < $time or last_time > $latest)
returning job
