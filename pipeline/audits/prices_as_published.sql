-- Every amount of a row has the published price of its denom and UTC day. Without a published price, it has no price.
with sides as (
  select id, time, sent_denom as denom, sent_price as price from priced_events
  union all
  select id, time, received_denom, received_price from priced_events
  union all
  select id, time, fee_denom, fee_price from priced_events
)
select id, denom, price::varchar as price,
  (select min(usd) from prices where prices.denom = sides.denom and day = date_trunc('day', time))::varchar as published
from sides
where price is distinct from
  (select min(usd) from prices where prices.denom = sides.denom and day = date_trunc('day', time))
order by id
