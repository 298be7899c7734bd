-- Combines the positions of wallets with rows in this month and the earlier positions of all other wallets.
create or replace table touched as select unnest($touched) as address;
create or replace view closing_positions as
from changed_positions
union all by name
from earlier_positions anti join touched using (address)
