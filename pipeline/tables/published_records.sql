-- Adds share records whose tokens never move, without a starting state: 32-byte accounts ('cosmos1' and 58 letters) with rewards but
-- without rows, as only module accounts are.
insert into own_accounts
select distinct address
from validator_payouts
where length(address) = length($account_prefix) + 59 and address not in (select address from priced_events)
