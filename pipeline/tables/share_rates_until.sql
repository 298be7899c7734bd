-- Selects the first day after the last close on which native coins were burned. Share rates change only by slashes,
-- which burn coins.
select strftime(min(time), '%Y-%m-%d') as day
from supply_changes
join blocks using (height)
where denom = $native and burned > 0 and time::date > (select max(day) from validator_days)
