-- A denom has at most one price on a day. Prices are positive and have a source. Days without a price have neither.
select denom, day::varchar as day, count(*) as rows, min(usd)::varchar as usd
from prices
group by denom, day
having
  count(*) > 1
  or bool_or(found <> (usd is not null))
  or bool_or(found <> (sources <> ''))
  or min(usd) <= 0
order by denom, day
