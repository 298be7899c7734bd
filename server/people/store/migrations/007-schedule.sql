-- The last time of its timetable at which a recurring job was begun; the row is locked while it runs.
create table scheduled_jobs (
  job text primary key,
  last_time timestamptz not null
);
