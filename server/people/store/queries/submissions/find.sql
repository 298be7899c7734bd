select id, kind, contract_address, note, status, submitted_at, reviewed_at
from submissions
where id::text = $id and account_id = $account
