create or replace view booked_coins as
with entries as (
  select
    address, act, denom, credit_denom, height, coalesce(quantity, 0)::hugeint as quantity, credit_quantity::hugeint as credited,
    coalesce(list_filter(slices, lambda slice: slice.held = 'none')[1].quantity::hugeint, 0) as short
  from ledger_entries
  where act <> 'burn-deposit'
)
select
  address, denom, height,
  case
    when act = 'acquire' then quantity
    when act in ('withdraw', 'restore') then quantity - short
    when act = 'move' then (2 * (credited - short) * quantity + credited) // (2 * credited)
    else least(short - quantity, 0)
  end::decimal(38, 0) as amount
from entries
union all
select address, credit_denom, height, (short - credited)::decimal(38, 0) from entries where act = 'move'
