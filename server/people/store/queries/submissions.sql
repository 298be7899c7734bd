-- name: add
-- Adds a submission. Returns no row if the account has reached its limit of unreviewed submissions.
insert into submissions (id, account_id, kind, contract_address, note, submitted_at)
select $id::uuid, $account::uuid, $kind::text, $address::text, $note::text, $now::timestamptz
where (select count(*) from submissions where account_id = $account::uuid and status = 'received') < $max::integer
returning id, kind, contract_address, note, status, submitted_at, reviewed_at

-- name: disclosures
select disclosure from disclosures
order by accepted_at, submission_id

-- name: find
select id, kind, contract_address, note, status, submitted_at, reviewed_at
from submissions
where id::text = $id and account_id = $account

-- name: of-account
select id, kind, contract_address, note, status, submitted_at, reviewed_at
from submissions
where account_id = $account
order by submitted_at desc, id
limit $max

-- name: remove
delete from submissions where id::text = $id and account_id = $account returning id

-- name: review
-- Reviews a submission, which is possible only once. The disclosure is stored in a separate table and remains if the
-- submission is deleted.
with settled as (
  update submissions set status = $status, reviewed_at = $now
  where id::text = $id and status = 'received'
  returning id, kind, contract_address, note, status, submitted_at, reviewed_at
), registered as (
  insert into disclosures (submission_id, disclosure, accepted_at)
  select id, $disclosure::jsonb, reviewed_at from settled where $disclosure::jsonb is not null
)
select id, kind, contract_address, note, status, submitted_at, reviewed_at from settled

-- name: waiting
select id, kind, contract_address, note, status, submitted_at, reviewed_at
from submissions
where id::text = $id and status = 'received'

-- name: with-status
select id, kind, contract_address, note, status, submitted_at, reviewed_at
from submissions
where status = $status
order by submitted_at, id
