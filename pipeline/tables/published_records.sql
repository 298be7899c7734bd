-- Adds the accounts of share records whose tokens never move, for a published dataset without a starting state. They are 32-byte accounts
-- ('cosmos1' and 58 letters) with rewards but no row. Only module accounts have no rows.
insert into own_accounts
select distinct address
from validator_payouts
where length(address) = length($account_prefix) + 59 and address not in (select address from priced_events)
