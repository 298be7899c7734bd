-- Selects blocks in which one of the accounts moved coins, or in which a staking pool moved coins up to the close. The
-- latest block comes first.
select distinct height
from coin_movements
where list_contains($addresses, address) or list_contains($pools, address) and height <= $close
order by height desc
limit $most
