-- Computes daily holdings of single wallets from opening holdings, rows and losses. `liquid` is exact. `staked` may
-- differ from the chain's value by rounding. The last day has the node's values, if a node reported them.
create or replace table daily_holdings as
with closes as (
  select time::date as day, max(height) as close_height from blocks group by day
),
changes as (
  select address, (select min(day) from closes) as day, liquid, staked, unbonding
  from native_holdings
  where moment = 'opening'
  union all
  select address, time::date, amount, 0, 0
  from coin_movements
  join blocks using (height)
  where denom = $native and address in (from tracked_wallets)
  union all
  select
    address, time::date, 0,
    case category
      when 'delegate' then sent_amount
      when 'cancel_unbonding' then sent_amount
      when 'redeem_shares' then if(received_denom = $native, received_amount, 0)
      when 'undelegate' then -sent_amount
      when 'tokenize_shares' then if(sent_denom = $native, -sent_amount, 0)
      else 0
    end,
    case category
      when 'undelegate' then sent_amount
      when 'cancel_unbonding' then -sent_amount
      when 'unbonding_complete' then -received_amount
      else 0
    end
  from classified_events
  where validator is not null and address in (from tracked_wallets)
  union all
  select delegator, time::date, 0, -delegated - redelegated, -unbonding from folded_slash_losses
),
daily as (
  select address, day, sum(liquid) as liquid, sum(staked) as staked, sum(unbonding) as unbonding
  from changes
  group by address, day
),
summed as (
  select
    address, day,
    sum(liquid) over account as liquid, sum(staked) over account as staked, sum(unbonding) over account as unbonding
  from daily
  window account as (partition by address order by day)
),
closing as (
  select address, (select max(day) from closes) as day, liquid, staked, unbonding
  from native_holdings
  where moment = 'closing'
)
select
  address, day, close_height,
  greatest(liquid, 0)::decimal(38, 0) as liquid, greatest(staked, 0)::decimal(38, 0) as staked,
  greatest(unbonding, 0)::decimal(38, 0) as unbonding
from (
  from closing
  union all
  select summed.* from summed anti join closing using (address, day)
)
join closes using (day)
