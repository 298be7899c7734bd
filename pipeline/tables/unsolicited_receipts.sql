-- Selects unsolicited receipts that may be flagged: unlisted tokens and dust. Dust is worth less than the limit after
-- rounding: 2 × amount × price < (2 × limit - 1) cents. Both sides are divided to avoid an overflow. `receivers` counts
-- the wallets that received the same amount; for unlisted tokens, any amount. In a dataset of single wallets,
-- whole_blocks contains the receipts of other wallets in the same transactions.
create or replace table month_receipts as
with registry as (
  select unnest($denoms) as denom, unnest($decimals)::integer as decimals
),
unsolicited_receipt as (
  select
    event.id as record_id,
    event.address,
    event.height,
    event.position,
    event.time,
    event.tx_hash,
    event.received_denom as denom,
    event.received_amount as quantity,
    event.counterparty as sender,
    event.memo,
    event.category,
    registry.denom is not null as registered,
    case
      when registry.denom is null then false
      when event.received_price is not null then
        event.received_amount <= ((2 * $dust_cents - 1) * ('1' || repeat('0', registry.decimals + 4))::hugeint - 1)
          // (2 * greatest((event.received_price * 1000000)::hugeint, 1))
      when event.received_denom = $native then event.received_amount <= $native_dust
      else false
    end as dust
  from month_events as event
  left join registry on registry.denom = event.received_denom
  where event.unsolicited
    and event.sent_amount is null
    and list_contains($categories, event.category)
    and not (registry.denom is not null and event.received_denom like 'ibc/%')
)
select
  receipt.*,
  greatest(
    count(distinct address) over (partition by tx_hash, sender, denom, if(registered, quantity, null)),
    coalesce(whole.receivers, 0)
  )::integer as receivers
from unsolicited_receipt as receipt
left join (
  select
    tx_hash as hash, counterparty, received_denom,
    if(list_contains($denoms, received_denom), received_amount, null) as amount,
    count(distinct address) as receivers
  from whole_blocks
  where unsolicited and sent_amount is null and list_contains($categories, category)
  group by all
) as whole
  on whole.hash = receipt.tx_hash
  and whole.counterparty is not distinct from receipt.sender
  and whole.received_denom = receipt.denom
  and whole.amount is not distinct from if(receipt.registered, receipt.quantity, null)
where dust or not registered
