-- Every transaction fee has one row and one payer. Its amount equals what the fee collectors kept, plus the tip that
-- they paid to the block's proposer. A fee that the governance account paid from an allowance has no row.
with fees as (
  select height, tx_hash, fee_denom as denom, sum(fee_amount) as paid, count(*) as rows
  from priced_events
  where fee_amount is not null
  group by all
), collected as (
  select height, tx_hash, denom, sum(amount) as kept
  from coin_movements
  where place >= 0 and list_contains($fee_collectors, address)
  group by all
), tips as (
  select height, tx_hash, received_denom as denom, sum(received_amount) as tipped
  from priced_events
  where tx_hash not like 'block:%' and list_contains($fee_collectors, counterparty) and received_amount is not null
  group by all
), governance as (
  select height, tx_hash, denom
  from coin_movements
  where place >= 0 and address = $governance and amount < 0
)
select
  height, tx_hash, denom, coalesce(rows, 0) as rows,
  coalesce(paid, 0)::varchar as paid, coalesce(kept, 0)::varchar as kept, coalesce(tipped, 0)::varchar as tipped
from fees
full join collected using (height, tx_hash, denom)
full join tips using (height, tx_hash, denom)
where (coalesce(rows, 0) <> 1 or coalesce(paid, 0) <> coalesce(kept, 0) + coalesce(tipped, 0))
  and not (rows is null and (height, tx_hash, denom) in (from governance))
order by height, tx_hash
