-- Computes the latest delegated and unbonding stakes from the published holdings and rows. `most` is an upper bound of
-- the stake, on which rounding depends.
with changes as (
  select address, staked + unbonding as amount, 0 as acts from native_holdings where moment = 'opening'
  union all
  select
    address,
    case category
      when 'delegate' then sent_amount
      when 'redeem_shares' then received_amount
      when 'unbonding_complete' then -received_amount
      else -sent_amount
    end,
    1
  from priced_events
  where
    category in ('delegate', 'unbonding_complete', 'slash')
    or category = 'redeem_shares' and received_denom = $native
    or category = 'tokenize_shares' and sent_denom = $native
)
select
  address, sum(amount)::decimal(38, 0)::varchar as amount, sum(acts)::integer as acts,
  sum(greatest(amount, 0))::decimal(38, 0)::varchar as most
from changes
group by address
order by address
