-- Nothing when the job was begun for this time or a later one.
update scheduled_jobs set last_time = $time where job = $job and last_time < $time returning job
