-- Creates tables with the counts of one month's rows that the manifest and other tables need.
create or replace table month_event_validators as select distinct validator from month_events where validator is not null;

create or replace table month_addresses as select distinct address from month_events;

create or replace table month_tipped as
select distinct address from month_events where category = 'transfer_in' and list_contains($fee_collectors, counterparty);

create or replace table month_legs as
with leg as (
  select time::date as day, sent_denom as denom, sent_amount as amount, sent_price is not null as priced
  from month_events
  where sent_amount is not null and list_contains($taxable, category)
  union all
  select time::date, received_denom, received_amount, received_price is not null
  from month_events
  where received_amount is not null and list_contains($taxable, category)
  union all
  select time::date, fee_denom, fee_amount, fee_price is not null
  from month_events
  where fee_amount is not null and list_contains($taxable, category)
)
select
  day, denom, priced,
  count(*) as legs,
  sum(amount::hugeint // 10000000000000000000)::decimal(38, 0) as high,
  sum(amount::hugeint % 10000000000000000000)::decimal(38, 0) as low
from leg
group by all
