select id, kind, contract_address, note, status, submitted_at, reviewed_at
from submissions
where status = $status
order by submitted_at, id
