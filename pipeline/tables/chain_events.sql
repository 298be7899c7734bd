-- The rows of classification with those that need state over blocks. A block that has such rows is numbered anew. An account that
-- other blocks tell to be the chain's own has no rows.
create or replace table chain_events as
with joined_blocks as (
  select height from state_events
  union
  select split_part(id, '-', 1)::integer from cancel_charges
),
-- The charge for cancelling a proposal is no refund to the account that gets it: coins of others, for which it may have done something.
charged as (
  select * replace (
    if(is_charge, 'transfer_in', category) as category,
    if(is_charge, 'Charge for cancelling ' || replace(link, '-', ' '), detail) as detail,
    if(is_charge, null, link) as link
  )
  from (select *, id in (select id from cancel_charges) as is_charge from classified_events)
),
classified as (
  select
    * exclude (is_charge),
    try_cast(split_part(id, '-', 2) as integer) as transaction,
    split_part(id, '-', 3)::integer as event
  from charged
  where height in (select height from joined_blocks) and address not in (from own_accounts)
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
added as (
  select
    address,
    state.height,
    (row_number() over (partition by state.height, state.place, event order by address, denom) - 1) as item,
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
  from state_events as state
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
      height || '-' || if(place < 0, 'block', place::varchar) || '-' || event || '-' || item || '-out' as id,
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
where height not in (select height from joined_blocks) and address not in (from own_accounts)
union all by name
select * exclude (event, phase, place, is_added) from renumbered
