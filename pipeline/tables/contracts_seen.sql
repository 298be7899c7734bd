select address, min(height) as first_height
from long_accounts
where address in (select unnest($addresses))
group by address
order by address
