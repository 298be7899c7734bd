-- Blocks that may be the cause of what audits found, the latest first: those in which one of the accounts moved coins, and those up to a
-- close that moved bonded or unbonding coins.
select distinct height
from coin_movements
where list_contains($addresses, address) or list_contains($pools, address) and height <= $close
order by height desc
limit $most
