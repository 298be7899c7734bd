insert into submissions (id, account_id, kind, contract_address, note, submitted_at)
values ($id, $account, $kind, $address, $note, $now)
returning id, kind, contract_address, note, status, submitted_at, reviewed_at
