-- Entries of the jurisdiction registry that the operator took from accepted submissions. They stay when their author, or what they were
-- taken from, is forgotten.
create table disclosures (
  submission_id uuid primary key,
  disclosure jsonb not null,
  accepted_at timestamptz not null
);
insert into disclosures (submission_id, disclosure, accepted_at)
select id, disclosure, reviewed_at from submissions where status = 'accepted' and disclosure is not null;
alter table submissions drop column disclosure;
create index submissions_of_account on submissions (account_id, submitted_at);
