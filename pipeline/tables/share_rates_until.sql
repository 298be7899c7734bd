-- First day with a native burn after the last close. Every slash burns coins, and only slashes change rates.
select strftime(min(time), '%Y-%m-%d') as day
from supply_changes
join blocks using (height)
where denom = $native and burned > 0 and time::date > (select max(day) from validator_days)
