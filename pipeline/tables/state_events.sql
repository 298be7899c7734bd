-- Rows that depend on earlier blocks: slashes and burned deposits. `phase`: 0 = beginning of the block, 1 = transaction, 2 = end of the
-- block. `event`: index of the event that caused the row.
create or replace table state_events as
with slashes as (
  select
    delegator as address, height, if(place < 0, 0, 1) as phase, place, event, time, tx_hash, 'slash' as category,
    (delegated + unbonding + redelegated)::decimal(38, 0) as amount, $native as denom, null as counterparty, validator,
    'Slashed for '
      || case
        when reason = 'correction' then 'a fault' when ends_with(reason, 'double_sign') then 'a double sign' else 'downtime'
      end
      || if(starts_with(reason, 'consumer_'), ' on a consumer chain', '') || ': '
      || concat_ws(
        ', ',
        case when delegated > 0 then 'delegated' end,
        case when unbonding > 0 then 'unbonding' end,
        case when redelegated > 0 then 'redelegated' end
      ) as detail,
    '' as memo, null as link
  from folded_slash_losses
  where height >= $first
),
earlier as (
  select
    address, height, 0 as phase, -1 as place, -1 as event, time, 'block:' || height as tx_hash, 'slash' as category, amount,
    $native as denom, null as counterparty, validator,
    'Slashed up to block ' || $opening || ', after which holdings are known' as detail, '' as memo, null as link
  from earlier_slashes
  join blocks on height = $opening + 1
),
lost as (
  select address, denom, link, sum(amount)::decimal(38, 0) as amount
  from proposal_deposits
  where id is null or id not in (select id from not_refunds)
  group by address, denom, link
  having sum(amount) > 0
),
burned as (
  select
    address, ended.height, if(place < 0, 2, 1) as phase, place, event, time, tx_hash, 'gov_deposit_burned' as category,
    amount, denom, $gov as counterparty, null as validator, 'Burned deposit of proposal ' || proposal as detail, memo, link
  from lost
  join ends as ended on link = 'proposal-' || proposal
)
select * from (from slashes union all from earlier union all from burned)
where amount > 0 and address not in (from module_accounts)
