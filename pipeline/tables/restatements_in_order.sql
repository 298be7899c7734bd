-- Restatements of wallets, by wallet and in the order in which they were made.
from restatements
where address is not null
order by address, restated_at, month, what, record, figure
