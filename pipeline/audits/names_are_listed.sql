-- Every category in use is listed once in categories. Every denom of a row, balance, price or position is listed once in assets.
with named as (
  select category as name, 'categories' as list from priced_events
  union
  select sent_denom, 'assets' from priced_events where sent_denom is not null
  union
  select received_denom, 'assets' from priced_events where received_denom is not null
  union
  select fee_denom, 'assets' from priced_events where fee_denom is not null
  union
  select denom, 'assets' from coin_movements
  union
  select denom, 'assets' from opening_balances
  union
  select denom, 'assets' from supply_changes
  union
  select denom, 'assets' from prices
  union
  select denom, 'assets' from closing_positions
),
listed as (
  select category as name, 'categories' as list from categories
  union all
  select denom, 'assets' from assets
)
select list, name, 'is missing' as fault from named anti join listed using (list, name)
union all
select list, name, 'is a duplicate' from listed group by list, name having count(*) > 1
order by list, name
