-- Selects the heights of a wallet's rows. `is_searchable` is false for slashes and burned deposits. Their events do not name
-- the wallet, so a search for the wallet does not find them.
select height, bool_or(category not in ('slash', 'gov_deposit_burned')) as is_searchable
from priced_events
where address = $address
group by height
order by height
