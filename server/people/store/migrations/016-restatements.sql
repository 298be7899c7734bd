-- Generations whose restatements have been announced.
alter table announcements add column restated text[] not null default '{}';
