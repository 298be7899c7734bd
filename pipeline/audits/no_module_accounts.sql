-- The chain's own accounts have no rows.
select id, address, category
from priced_events
where address in (select unnest($module_accounts))
order by id
