-- Finds blocks that may have caused failed audits, the latest first: one of the accounts moved coins there, or bonded or unbonding coins
-- moved before the close of a day.
select distinct height
from coin_movements
where list_contains($addresses, address) or list_contains($pools, address) and height <= $close
order by height desc
limit $most
