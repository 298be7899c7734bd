-- Computes balances before the index: the balances in the starting state plus all movements until the index begins. If
-- the starting state is later than the beginning of the index, the movements in between are subtracted. Omits denoms
-- whose sums are too large for a column.
create or replace table opening_balances as
select address, denom, sum(amount)::decimal(38, 0) as amount
from (
  from starting_balances
  union all
  select address, denom, amount from earlier_coin_movements
  union all
  select address, denom, amount from balance_corrections where height < (select first from index_span)
  union all
  select address, denom, -amount from classified_movements where height <= (select opening from index_span)
)
where denom not in (select denom from oversized_denoms)
  and not (list_contains($oversized, denom) and (select opening >= first from index_span))
group by address, denom
having sum(amount) <> 0
