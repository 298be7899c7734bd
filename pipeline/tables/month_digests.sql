-- Computes hashes of everything, except its blocks, on which a month's rows depend.
with months as (
  select strftime(time, '%Y-%m') as month, min(height) as first, max(height) as last from blocks group by month
),
contents as (
  select 'state' as kind, month, sum(hash(state_events)) as content
  from state_events
  join months on height between first and last
  group by month
  union all
  select 'correction', month, sum(hash(balance_corrections))
  from balance_corrections
  join months on height between first and last
  group by month
  union all
  select 'price', month, sum(hash(prices))
  from prices
  join denoms on denoms.denom = prices.denom and month = strftime(day, '%Y-%m')
  group by month
)
select month, string_agg(kind || ' ' || content, ', ' order by kind) as content
from contents
where month in (select month from months)
group by month
