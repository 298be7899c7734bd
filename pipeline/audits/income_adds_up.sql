-- In every month, a wallet's income in one account and denom is its quantity times price, to the cent. Income is rounded
-- as a running total, so the sum of a month may differ by less than a cent.
with income as (
  select
    entry.address, strftime(time, '%Y-%m') as month, credit_account, entry.denom, any_value(decimals) as decimals,
    sum(amount_usd) as booked, sum(quantity::hugeint * (price_usd * 1000000)::hugeint) as worth
  from ledger_entries as entry
  join assets using (denom)
  where act = 'acquire' and starts_with(credit_account, 'Income: ')
  group by all
)
select address, month, credit_account, denom, booked::varchar as booked, worth::varchar as worth
from income
where abs((booked * 100)::hugeint * ('1' || repeat('0', decimals + 4))::hugeint - coalesce(worth, 0)) >= ('1' || repeat('0', decimals + 4))::hugeint
order by address, month, credit_account, denom
