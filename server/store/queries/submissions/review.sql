-- A review is not changed by another.
update submissions set status = $status, reviewed_at = $now, disclosure = $disclosure
where id::text = $id and status = 'received'
returning id, kind, contract_address, note, status, submitted_at, reviewed_at
