-- Balances before the index: those of the starting state, and what moved between it and the index.
create or replace table opening_balances as
select address, denom, sum(amount)::decimal(38, 0) as amount
from (
  from starting_balances
  union all
  select address, denom, amount from earlier_coin_movements
  union all
  select address, denom, amount from balance_corrections where height < (select first from index_span)
)
where denom not in (select denom from oversized_denoms)
group by address, denom
having sum(amount) <> 0
