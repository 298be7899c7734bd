-- Selects dust with the same sender, amount and denom as dust that was flagged on any day. It is spam in three cases:
-- the wallet has flagged dust, its memos are numbered as a series, or many wallets received it.
with dust as (
  select receipts.*
  from receipts
  semi join flagged_receipts using (sender, denom, quantity)
  where dust and list_contains($categories, category)
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
