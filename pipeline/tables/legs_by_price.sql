-- Sums amounts of taxable rows by UTC day and denom, with their unit price in micro-USD. A day without a price gets the
-- price of the nearest day (of two equally near days, the earlier one). The price is null for denoms without any price.
-- Unlisted denoms form one group. Sums high and low digits separately, because the sum of a token may be too large for
-- a column.
with known as (
  select unnest($denoms) as denom
  union
  select denom from prices
),
summed as (
  select day, known.denom, priced, sum(legs)::bigint as legs, sum(high)::hugeint as high, sum(low)::hugeint as low
  from legs
  left join known on known.denom = legs.denom
  group by all
)
select
  strftime(summed.day, '%Y-%m') as month,
  summed.denom,
  priced,
  legs::integer as legs,
  high::varchar as high,
  low::varchar as low,
  (if(
    earlier.day is null or later.day - summed.day < summed.day - earlier.day, later.usd, earlier.usd
  ) * 1000000)::hugeint::varchar as price
from summed
asof left join prices as earlier on earlier.denom = summed.denom and earlier.day <= summed.day
asof left join prices as later on later.denom = summed.denom and later.day >= summed.day
order by month, summed.denom, summed.day, priced
