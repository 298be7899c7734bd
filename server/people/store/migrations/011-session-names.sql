-- How its owner knows a session: browser and system in words, null where they were not recognised, and its last use, kept to the hour.
alter table sessions add column device text;
alter table sessions add column last_used_at timestamptz not null default now();
alter table sessions alter column last_used_at drop default;
create index sessions_of_account on sessions (account_id, created_at);
