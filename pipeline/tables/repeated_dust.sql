-- Dust with the same sender, amount and denom as flagged dust, on any day. It is spam in three cases: it went to a wallet with flagged
-- dust, its memo numbers a series, or it reached many wallets.
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
