-- The first day after the last close on which the staked coin was burned: each slash burns some, and nothing else changes a rate.
select strftime(min(time), '%Y-%m-%d') as day
from supply_changes
join blocks using (height)
where denom = $native and burned > 0 and time::date > (select max(day) from validator_days)
