-- Selects rates in the order of the wallet index, with the day of their blocks. Rates from before the index have no day.
select validator, height as close_height, tokens, shares, time::date as day
from validator_rates
left join blocks using (height)
order by validator, day, height
