-- Looks first: an insert alone would wait for the scheduler that holds the row.
insert into scheduled_jobs (job, last_time)
select $job, '-infinity' where not exists (select from scheduled_jobs where job = $job)
on conflict (job) do nothing
