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
