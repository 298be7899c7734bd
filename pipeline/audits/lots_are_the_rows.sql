-- At the end of a month, open lots plus remaining opening coins equal the same sum at its beginning plus all rows of
-- the month. The first month begins with opening holdings. Ignores coins that left without a lot. If such coins are
-- tokenized or redeemed shares, they are converted at the rate of their own row.
with moved as (
  from opening_holdings
  union all
  select address, denom, quantity + opening_quantity from earlier_positions
  union all
  select address, received_denom, received_amount
  from priced_events
  where received_amount is not null and not list_contains($still, category)
  union all
  select address, sent_denom, -sent_amount from priced_events where sent_amount is not null and not list_contains($still, category)
  union all
  select address, fee_denom, -fee_amount from priced_events where fee_amount is not null
),
lacking as (
  select
    address, act, denom, credit_denom, quantity::hugeint as quantity, credit_quantity::hugeint as credit_quantity,
    list_filter(slices, lambda slice: slice.held = 'none')[1].quantity::hugeint as short
  from ledger_entries
  where list_contains(list_transform(slices, lambda slice: slice.held), 'none')
    and act in ('dispose', 'relieve', 'deposit', 'move', 'withdraw', 'restore')
),
shortfalls as (
  select
    address, coalesce(credit_denom, denom) as denom,
    if(act in ('withdraw', 'restore'), -short, short)::decimal(38, 0) as amount
  from lacking
  union all
  select
    address, denom,
    ((2 * (credit_quantity - short) * quantity + credit_quantity) // (2 * credit_quantity) - quantity)::decimal(38, 0)
  from lacking
  where act = 'move'
),
expected as (
  select address, denom, sum(amount) as quantity from (from moved union all from shortfalls) group by address, denom
),
closing as (
  select address, denom, quantity + opening_quantity as quantity from closing_positions
)
select address, denom, coalesce(closing.quantity, 0)::varchar as lots, coalesce(expected.quantity, 0)::varchar as rows
from closing
full join expected using (address, denom)
where coalesce(closing.quantity, 0) <> coalesce(expected.quantity, 0)
order by address, denom
