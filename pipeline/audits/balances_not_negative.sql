-- No balance is negative after any block, up to the last height with proved holdings.
with changes as (
  select address, denom, -1 as height, amount from opening_balances
  union all
  select address, denom, if(height <= $since, -1, height), amount from coin_movements where height <= $holdings_until
),
by_block as (
  select address, denom, height, sum(amount)::hugeint as amount
  from changes
  where exists (from opening_balances) and not list_contains($oversized, denom)
  group by all
),
-- Sums high and low digits separately. Amounts of foreign tokens may have 38 digits, so DuckDB's running sum would
-- overflow.
running as (
  select
    address, denom, height,
    (sum(amount // 10000000000000000000) over account) * 10000000000000000000
    + (sum(amount % 10000000000000000000) over account) as balance
  from by_block
  window account as (partition by address, denom order by height)
)
select address, denom, min(height) as height, min(balance)::varchar as least
from running
where balance < 0
group by address, denom
order by height, address, denom
