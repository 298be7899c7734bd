-- In every block, the balance changes of a denom add up to minted minus burned coins. Ignores corrections. Sums high
-- and low digits separately, because the sum of a token may be too large for a column.
with changes as (
  select denom, height, amount::hugeint as amount from coin_movements where tx_hash not like 'correction:%'
  union all
  select denom, height, -minted::hugeint from supply_changes
  union all
  select denom, height, burned::hugeint from supply_changes
),
sums as (
  select denom, height, sum(amount // 10000000000000000000) as high, sum(amount % 10000000000000000000) as low
  from changes
  group by denom, height
)
select denom, height, high::varchar || ' × 10^19 + ' || low::varchar as difference
from sums
where low % 10000000000000000000 <> 0 or high + low // 10000000000000000000 <> 0
order by height, denom
