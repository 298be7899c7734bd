-- Amounts of taxable rows by UTC day and denom, with unit prices in micro-USD. Without a price on that day, uses the
-- nearest day's price (of two equally near days, the earlier). The price is null for denoms without any price. Unlisted
-- denoms form one group. Sums high and low digits separately, because a token's sum may exceed the column type.
with leg as (
  select time::date as day, sent_denom as denom, sent_amount as amount, sent_price is not null as priced
  from priced_events
  where sent_amount is not null and list_contains($taxable, category)
  union all
  select time::date, received_denom, received_amount, received_price is not null
  from priced_events
  where received_amount is not null and list_contains($taxable, category)
  union all
  select time::date, fee_denom, fee_amount, fee_price is not null
  from priced_events
  where fee_amount is not null and list_contains($taxable, category)
),
known as (
  select unnest($denoms) as denom
  union
  select denom from prices
),
summed as (
  select
    leg.day,
    known.denom,
    priced,
    count(*) as legs,
    sum(amount::hugeint // 10000000000000000000) as high,
    sum(amount::hugeint % 10000000000000000000) as low
  from leg
  left join known on known.denom = leg.denom
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
