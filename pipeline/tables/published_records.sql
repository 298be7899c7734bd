-- Without a starting state, finds share records whose tokens never moved: accounts of 32 bytes ('cosmos1' and 58
-- letters) with rewards but without rows. Only the chain's own accounts lack rows.
insert into own_accounts
select distinct address
from validator_payouts
where length(address) = length($account_prefix) + 59 and address not in (select address from priced_events)
