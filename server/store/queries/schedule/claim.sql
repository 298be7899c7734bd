-- A row that another scheduler holds is passed over at once.
update scheduled_jobs set last_time = $time
where job = (select job from scheduled_jobs where job = $job and last_time < $time for update skip locked)
returning job
