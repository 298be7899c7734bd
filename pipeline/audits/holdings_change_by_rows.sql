-- Native holdings (liquid, staked and unbonding coins) change only by rows and corrections. Checks all blocks with
-- proved holdings. Delegations to slashed validators may differ by rounding (tables/rounding_of_shares.sql).
with moved as (
  select address, amount
  from native_changes('priced_events', $native)
  where height between $opening + 1 and $holdings_until and not is_earlier_slash(id)
  union all
  select address, amount from coin_movements
  where denom = $native and height <= $holdings_until and tx_hash like 'correction:%'
  union all
  select address, if(moment = 'opening', 1, -1) * (liquid + staked + unbonding) from native_holdings
),
differences as (
  select address, sum(amount) as difference
  from moved
  where exists (from native_holdings) and address not in (from module_accounts)
  group by address
  having sum(amount) <> 0
)
select address, difference::varchar as difference
from differences
left join rounding_of_shares using (address)
where abs(difference) > coalesce(most, 0)
order by address
