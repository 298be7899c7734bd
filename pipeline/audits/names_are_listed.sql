-- The table categories lists every used category once. The table assets lists every denom of a row, balance, price or
-- position once.
with named as (
  select name, list from row_names where list <> 'validators'
  union
  select denom, 'assets' from opening_balances
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
