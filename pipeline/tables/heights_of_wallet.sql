-- A slash and the burn of a deposit do not name the wallet, so no search for the wallet finds them.
select height, bool_or(category not in ('slash', 'gov_deposit_burned')) as is_own
from priced_events
where address = $address
group by height
order by height
