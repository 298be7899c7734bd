-- Before the first block with known holdings, no wallet's native holdings were negative. The earlier holdings are
-- computed back from the wallet's rows. Allows for rounding of shares.
with held as (
  select address, 1 as later, null::bigint as height, liquid + staked + unbonding as amount from native_holdings where moment = 'opening'
  union all
  select address, 0, height, -sum(amount)
  from native_changes('priced_events', $native)
  where height <= $opening
  group by address, height
  union all
  select address, 1, null, -amount
  from native_changes('priced_events', $native)
  where height = $opening + 1 and is_earlier_slash(id)
),
before as (
  select address, height, sum(sum(amount)) over (partition by address order by later desc, height desc) as amount
  from held
  where $opening >= $since and exists (from native_holdings) and address not in (from module_accounts)
  group by address, later, height
)
select address, min(before.amount)::varchar as least
from before
left join rounding_of_shares using (address)
group by address
having min(before.amount) < -coalesce(any_value(most), 0)
order by address
