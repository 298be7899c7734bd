-- For datasets without a starting state: finds share records whose tokens never moved. They are accounts of 32 bytes
-- ('cosmos1' and 58 letters) with rewards but without rows. Only accounts of the chain itself have no rows.
insert into module_accounts
select distinct address
from validator_payouts
where length(address) = length($account_prefix) + 59 and address not in (select address from priced_events)
