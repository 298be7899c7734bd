-- The chain's own module accounts have no rows.
select id, address, category
from chain_events
where list_contains($module_accounts, address)
order by id
