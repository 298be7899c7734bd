-- Module accounts (the chain's own accounts) have no rows.
select id, address, category
from priced_events
where address in (from module_accounts)
order by id
