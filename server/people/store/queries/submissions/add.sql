-- Adds a submission. Returns no row if the account has reached its limit of unreviewed submissions.
insert into submissions (id, account_id, kind, contract_address, note, submitted_at)
select $id::uuid, $account::uuid, $kind::text, $address::text, $note::text, $now::timestamptz
where (select count(*) from submissions where account_id = $account::uuid and status = 'received') < $max::integer
returning id, kind, contract_address, note, status, submitted_at, reviewed_at
