-- A denom has at most one price on a day. Prices are positive and have a source.
select denom, day::varchar as day, count(*) as rows, min(usd)::varchar as usd
from prices
group by denom, day
having count(*) > 1 or min(usd) <= 0 or min(sources) = ''
order by denom, day
