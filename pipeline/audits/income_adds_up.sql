-- In every month, a wallet's income in one account and denom is its quantity times price, to the cent. Income is rounded
-- as a running total, so the sum of a month may differ by less than a cent.
with income as (
  select
    address, strftime(time, '%Y-%m') as month, credit_account, denom, ('1' || repeat('0', any_value(decimals) + 4))::hugeint as cent,
    sum(amount_usd * 100)::hugeint as booked, sum(quantity::hugeint * (price_usd * 1000000)::hugeint) as worth
  from ledger_entries
  left join assets using (denom)
  where act = 'acquire' and starts_with(credit_account, 'Income: ')
  group by all
)
select address, month, credit_account, denom, booked::varchar as booked, worth::varchar as worth
from income
where if(worth is null, booked <> 0, abs(booked * cent - worth) >= cent)
order by address, month, credit_account, denom
