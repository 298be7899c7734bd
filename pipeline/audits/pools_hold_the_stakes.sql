-- At the end of every day, the two staking pools hold all delegated and unbonding coins. A difference is allowed only
-- if the starting state has the same difference.
with closes as (
  select close_height, sum(tokens) as tokens from validator_days group by close_height
),
pooled as (
  select min(close_height) as close_height, sum(amount) as amount
  from opening_balances, (select min(close_height) as close_height from closes)
  where denom = $native and list_contains($pools, address)
  union all
  select close_height, amount
  from coin_movements
  asof join closes on height <= close_height
  where denom = $native and list_contains($pools, address)
),
waiting as (
  select close_height, balance as amount from unbonding_intervals asof join closes on from_height <= close_height
  union all
  select close_height, -balance from unbonding_intervals asof join closes on to_height <= close_height
),
changes as (
  select
    close_height,
    coalesce((select sum(amount) from pooled where pooled.close_height = closes.close_height), 0) as pooled,
    coalesce((select sum(amount) from waiting where waiting.close_height = closes.close_height), 0) as waiting
  from closes
),
sums as (
  select
    close_height,
    sum(pooled) over (order by close_height) as pooled,
    sum(waiting) over (order by close_height) as waiting
  from changes
)
select close_height, pooled::varchar as pooled, tokens::varchar as delegated, waiting::varchar as unbonding
from sums
join closes using (close_height)
where pooled <> tokens + waiting + $pool_difference::hugeint
order by close_height
