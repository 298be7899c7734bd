-- Tokens without an entry in the registry, by month of their receipts.
select distinct strftime(time, '%Y-%m') as month, denom
from receipts
where not registered
order by month, denom
