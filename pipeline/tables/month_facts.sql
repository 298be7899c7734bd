-- Creates small tables with the facts about one month's classified rows that the whole dataset needs.
create or replace table month_span as select $first::bigint as first, $last::bigint as last, $month as month;

create or replace table month_large_amounts as
with amounts as (
  select 'sent' as flow, height, address, sent_denom as denom, sent_amount as amount from classified_events
  union all
  select 'received', height, address, received_denom, received_amount from classified_events
  union all
  select 'moved', height, address, denom, amount from classified_movements
  union all
  select 'minted', height, null, denom, minted from classified_supply_changes
  union all
  select 'burned', height, null, denom, burned from classified_supply_changes
)
select flow, address, denom, amount > 0 as is_positive, month, sum(abs(amount)::hugeint // 10000000000000000000)::decimal(38, 0) as units
from amounts, month_span
where height between first and last and abs(amount) >= 10000000000000000000000000000
group by all;

create or replace table month_deposits as
select
  id, address, height, category, link,
  coalesce(sent_denom, received_denom) as denom,
  coalesce(sent_amount, received_amount) as amount
from classified_events, month_span
where height between first and last and category in ('gov_deposit', 'gov_refund');

create or replace table month_removed_rewards as
select id, height, validator
from classified_events, month_span
where height between first and last and reward_trigger = 'validator_removed';

create or replace table month_ends as
select proposal_ends.* from proposal_ends, month_span where height between first and last;

create or replace table month_names as
select validator_names.* from validator_names, month_span where height between first and last;

create or replace table month_rewarded as
select distinct delegator from share_rewards, month_span where height between first and last;

create or replace table month_denoms as
with named as (
  select sent_denom as denom, height from classified_events
  union all
  select received_denom, height from classified_events
  union all
  select fee_denom, height from classified_events
  union all
  select denom, height from classified_movements
  union all
  select denom, height from classified_supply_changes
)
select distinct denom, month from named, month_span where height between first and last and denom is not null;

-- Accounts with addresses of 32 bytes: contracts, interchain accounts and share records.
create or replace table month_long_accounts as
select address, month, min(height) as height
from (
  select address, height from classified_events
  union all
  select address, height from classified_movements
), month_span
where height between first and last and length(address) >= $long
group by address, month;
