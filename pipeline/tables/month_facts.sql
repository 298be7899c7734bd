-- Creates small tables with the facts about one month's classified rows that the whole dataset needs.
create or replace table month_large_amounts as
with amounts as (
  select 'sent' as flow, address, sent_denom as denom, sent_amount as amount from classified_events
  union all
  select 'received', address, received_denom, received_amount from classified_events
  union all
  select 'moved', address, denom, amount from classified_movements
  union all
  select 'minted', null, denom, minted from classified_supply_changes
  union all
  select 'burned', null, denom, burned from classified_supply_changes
)
select flow, address, denom, amount > 0 as is_positive, $month as month, sum(abs(amount)::hugeint // 10000000000000000000)::decimal(38, 0) as units
from amounts
where abs(amount) >= 10000000000000000000000000000
group by all;

create or replace table month_deposits as
select
  id, address, height, category, link,
  coalesce(sent_denom, received_denom) as denom,
  coalesce(sent_amount, received_amount) as amount
from classified_events
where category in ('gov_deposit', 'gov_refund');

create or replace table month_removed_rewards as
select id, height, validator
from classified_events
where reward_trigger = 'validator_removed';

create or replace table month_ends as from proposal_ends;

create or replace table month_names as from validator_names;

create or replace table month_rewarded as
select distinct delegator from share_rewards;

create or replace table month_denoms as
with named as (
  select sent_denom as denom from classified_events
  union all
  select received_denom from classified_events
  union all
  select fee_denom from classified_events
  union all
  select denom from classified_movements
  union all
  select denom from classified_supply_changes
)
select distinct denom, $month as month from named where denom is not null;

-- Accounts with addresses of 32 bytes: contracts, interchain accounts and share records.
create or replace table month_long_accounts as
select address, $month as month, min(height) as height
from (
  select address, height from classified_events
  union all
  select address, height from classified_movements
)
where length(address) >= $long
group by address;
