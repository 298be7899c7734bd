select id, kind, contract_address, note, status, submitted_at, reviewed_at
from submissions
where account_id = $account
order by submitted_at desc, id
limit $max
