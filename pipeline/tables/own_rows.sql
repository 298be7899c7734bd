-- Removes the rows of all other wallets, and renumbers the remaining rows of each block.
create or replace table own_wallets as select unnest($own_wallets) as address;

create or replace table own_events as
select * replace (
  (row_number() over (partition by height order by position) - 1)::integer as position,
  if(category = 'slash', detail || '; computed from the wallet''s stake and the chain''s fraction', detail) as detail
)
from chain_events
where address in (from own_wallets);

create or replace table chain_events as from own_events;

create or replace table own_movements as from coin_movements where address in (from own_wallets);

create or replace view coin_movements as from own_movements;

create or replace table own_transactions as from transactions where hash in (select tx_hash from chain_events);

create or replace view transactions as from own_transactions;

create or replace table own_share_rewards as from share_rewards where delegator in (from own_wallets);

create or replace view share_rewards as from own_share_rewards;

create or replace table own_supply_changes as from supply_changes limit 0;

create or replace view supply_changes as from own_supply_changes
