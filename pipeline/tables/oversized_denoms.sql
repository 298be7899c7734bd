-- Denoms with a total too large for DECIMAL(38,0): coins sent, received or moved by one account, minted, or burned.
-- `by_chain` is false if the total is too large only because of corrections. Sums large amounts in units of 10^19,
-- because such sums cannot overflow.
create or replace table oversized_denoms as
with amounts as (
  select address, denom, amount, true as by_chain from earlier_coin_movements
  union all
  select address, denom, amount, true from starting_balances
  union all
  select address, denom, amount, false from balance_corrections
),
counted as (
  select flow, address, denom, is_positive, units::hugeint as units, true as by_chain from large_amounts
  union all
  select 'moved', address, denom, amount > 0, abs(amount)::hugeint // 10000000000000000000, by_chain
  from amounts
  where abs(amount) >= 10000000000000000000000000000
),
flows as (
  select denom, sum(units) as total, sum(units) filter (where by_chain) as of_chain
  from counted
  group by denom, flow, address, is_positive
)
select denom, bool_or(coalesce(of_chain, 0) >= 9999999999999999999) as by_chain
from flows
where total >= 9999999999999999999
group by denom
