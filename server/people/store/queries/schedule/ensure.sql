insert into scheduled_jobs (job, last_time) values ($job, '-infinity')
on conflict (job) do nothing
