-- Dust that repeats flagged dust: sent by the same sender, of the same amount and denom, on whatever day. It is spam, too, where it goes to
-- a wallet that got the flagged one, where its memo numbers it as a part of a series, and where that dust has reached many wallets
-- in all. The same amount alone says little: whoever sends round amounts sends one twice.
with dust as (
  select * from unsolicited_receipts where dust and sender is not null and list_contains($categories, category)
),
flagged as (
  select dust.* from dust join flagged_receipts using (record_id)
),
repeated as (
  select sender, denom, quantity, count(distinct address) >= $receivers as is_wide
  from dust
  where (sender, denom, quantity) in (select (sender, denom, quantity) from flagged)
  group by sender, denom, quantity
)
select dust.*
from dust
join repeated using (sender, denom, quantity)
where record_id not in (select record_id from flagged)
  and (
    is_wide
    or regexp_matches(memo, $part)
    or (sender, denom, quantity, address) in (select (sender, denom, quantity, address) from flagged)
  )
order by address, height, position
