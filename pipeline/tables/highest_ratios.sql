-- Selects the highest reward ratio of each validator and denom in spans of $span blocks with starts in `lasting`, up to
-- the last block at which one of them lasts: later days may be unknown when the base layer is built. A ratio that is too
-- large for the column is the highest one. `close_height` is the number of the span.
-- Sorted, because the order of the denoms decides the order of the texts in the wallet index.
with spans as materialized (
  select validator, close_height // $span as n, max(close_height) as last from lasting group by all
),
coins as (
  select validator, n, unnest(ratio) as coin
  from (
    select validator, close_height, close_height // $span as n, ratio from all_days
    union all
    select validator, height, height // $span, ratio from all_edges
  )
  join spans using (validator, n)
  where close_height <= last
),
highest as (
  select
    validator, n, coin.denom as denom,
    case when count(coin.ratio) = count(*) then max(coin.ratio) end as ratio
  from coins
  group by validator, n, coin.denom
)
select validator, n as close_height, ratio_text(list({denom: denom, ratio: ratio} order by denom)) as ratio
from highest
group by validator, n
order by validator, n
