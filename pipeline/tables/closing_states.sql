-- Combines the states of wallets with rows in this month and the earlier states of all other wallets.
create or replace view closing_states as
from changed_states
union all by name
from earlier_states anti join changed_states using (address)
