-- A denom has at most one price on a day. Every price is positive and has a source. A row for a day without a price has
-- neither price nor source.
select denom, day::varchar as day, count(*) as rows, min(usd)::varchar as usd
from prices
group by denom, day
having
  count(*) > 1
  or bool_or(found <> (usd is not null))
  or bool_or(found <> (sources <> ''))
  or min(usd) <= 0
order by denom, day
