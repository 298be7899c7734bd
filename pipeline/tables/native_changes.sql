-- True for categories that move coins only within a wallet's native holdings, and for categories whose lost coins left
-- these holdings earlier.
create or replace macro is_inside(category) as
  category in ('delegate', 'undelegate', 'unbonding_complete', 'redelegate', 'cancel_unbonding', 'gov_deposit_burned');
-- True for ids of rows that tables/earlier_slashes.sql makes.
create or replace macro is_earlier_slash(id) as id like '%-block-state-%';
-- Returns how rows change native holdings (liquid, staked and unbonding coins).
create or replace macro native_changes(rows, native) as table (
  select address, height, id, received_amount as amount
  from query_table(rows)
  where received_denom = native and not is_inside(category)
  union all
  select address, height, id, -sent_amount from query_table(rows) where sent_denom = native and not is_inside(category)
  union all
  select address, height, id, -fee_amount from query_table(rows) where fee_denom = native
);
