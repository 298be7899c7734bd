-- Combines classified rows with rows that depend on earlier blocks. Renumbers the rows of blocks that have both.
-- Removes rows of module accounts, and amounts in denoms whose sums are too large for a column.
create or replace table chain_events as
with joined_blocks as (
  select height from state_events
  union
  select height from classified_events where id in (select id from not_refunds) or id in (select id from not_commissions)
  union
  select height
  from classified_events
  where address in (from module_accounts)
    or sent_denom in (select denom from oversized_denoms)
    or received_denom in (select denom from oversized_denoms)
),
affected as (
  select
    *,
    id in (select id from not_refunds) as is_no_refund,
    id in (select id from not_commissions) as is_no_commission,
    coalesce(sent_denom in (select denom from oversized_denoms), false) as lacks_sent,
    coalesce(received_denom in (select denom from oversized_denoms), false) as lacks_received
  from classified_events
  where height in (select height from joined_blocks) and address not in (from module_accounts)
),
-- Corrects categories. Cancellation charges and governance payments are not refunds. A removed validator's last
-- commission becomes a transfer if its receiver never was an operator. A swap with only one remaining amount becomes a
-- contract deposit or withdrawal.
classified as (
  select
    * exclude (is_no_refund, is_no_commission, lacks_sent, lacks_received) replace (
      case
        when is_no_refund or is_no_commission then 'transfer_in'
        when category = 'swap' and lacks_sent then 'contract_withdrawal'
        when category = 'swap' and lacks_received then 'contract_deposit'
        else category
      end as category,
      if(
        is_no_refund,
        if(tx_hash like 'block:%', 'Sent by ', 'Charge for cancelling ') || replace(link, '-', ' '),
        detail
      ) as detail,
      if(is_no_refund, null, link) as link,
      if(is_no_commission, null, validator) as validator,
      if(is_no_commission, null, reward_trigger) as reward_trigger,
      if(lacks_sent, null, sent_amount) as sent_amount,
      if(lacks_sent, null, sent_denom) as sent_denom,
      if(lacks_received, null, received_amount) as received_amount,
      if(lacks_received, null, received_denom) as received_denom
    ),
    try_cast(split_part(id, '-', 2) as integer) as transaction,
    split_part(id, '-', 3)::integer as event
  from affected
  where fee_denom is not null or sent_denom is not null and not lacks_sent or received_denom is not null and not lacks_received
),
extent as (
  select height, min(position) as first, max(position) as last
  from classified
  where transaction is not null
  group by height
),
placed as (
  select
    classified.* exclude (transaction),
    case
      when transaction is not null then 1
      when extent.first is null or position < extent.first then 0
      else 2
    end as phase,
    coalesce(transaction, -1) as place
  from classified
  left join extent using (height)
),
-- A slash that a transaction caused (for example by evidence of a double sign) gets the transaction's memo.
states as (
  select
    state_events.* replace (if(category = 'slash', coalesce(transactions.memo, ''), state_events.memo) as memo)
  from state_events
  left join transactions on transactions.height = state_events.height and transactions."index" = place
),
added as (
  select
    address,
    state.height,
    (row_number() over (partition by state.height, state.place, event order by address, denom, validator) - 1) as item,
    -- The id does not depend on other wallets, so it is the same in a dataset of single wallets.
    right(address, 12) || coalesce(
      nullif(row_number() over (partition by state.height, state.place, event, address order by denom, validator) - 1, 0)::varchar, ''
    ) as name,
    time,
    tx_hash,
    category,
    amount,
    denom,
    counterparty,
    validator,
    detail,
    memo,
    link,
    event,
    if(extent.first is null and phase = 2, 0, phase) as phase,
    place
  from states as state
  left join extent on extent.height = state.height
),
renumbered as (
  select * replace (
    (row_number() over (partition by height order by phase, place, event, is_added, position) - 1)::integer as position
  )
  from (
    select *, false as is_added from placed
    union all by name
    select
      address,
      height,
      item::integer as position,
      height || '-' || if(place < 0, 'block', place::varchar) || '-' || if(event < 0, 'state', event::varchar) || '-' || name || '-out' as id,
      time,
      tx_hash,
      category,
      amount as sent_amount,
      denom as sent_denom,
      counterparty,
      validator,
      detail,
      memo,
      link,
      false as to_own_key,
      false as unsolicited,
      event,
      phase,
      place,
      true as is_added
    from added
  )
)
select *
from classified_events
where height not in (select height from joined_blocks)
union all by name
select * exclude (event, phase, place, is_added) from renumbered
