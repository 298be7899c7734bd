-- Removes the rows of all other wallets, and renumbers the remaining rows of each block.
create or replace table tracked_wallets as select unnest($tracked_wallets) as address;

create or replace table tracked_events as
select * replace (
  (row_number() over (partition by height order by position) - 1)::integer as position,
  if(category = 'slash', detail || '; computed from the wallet''s stake and the chain''s fraction', detail) as detail
)
from chain_events
where address in (from tracked_wallets);

create or replace table chain_events as from tracked_events;

create or replace table tracked_movements as from coin_movements where address in (from tracked_wallets);

create or replace view coin_movements as from tracked_movements;

create or replace table tracked_transactions as from transactions where hash in (select tx_hash from chain_events);

create or replace view transactions as from tracked_transactions;

create or replace table tracked_share_rewards as from share_rewards where delegator in (from tracked_wallets);

create or replace view share_rewards as from tracked_share_rewards;

create or replace table tracked_supply_changes as from supply_changes limit 0;

create or replace view supply_changes as from tracked_supply_changes
