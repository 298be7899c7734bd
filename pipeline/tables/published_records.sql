-- Share records whose tokens never move in a published dataset without a starting state: accounts of 32 bytes ('cosmos1' and 58
-- letters) that earned rewards and have no row, as only an account of the chain's own has none.
insert into own_accounts
select distinct address
from validator_payouts
where length(address) = length($account_prefix) + 59 and address not in (select address from priced_events)
