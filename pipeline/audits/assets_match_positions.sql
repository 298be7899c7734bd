-- In the journal, the balance of each Digital Assets account equals the cost basis of the wallet's open lots. Deposits
-- have their own accounts.
with booked as (
  select address, debit_account as account, amount_usd as amount from ledger_entries
  union all
  select address, credit_account, -amount_usd from ledger_entries
  union all
  select address, 'Digital Assets: ' || asset, cost_basis_usd from earlier_positions
), balances as (
  select address, account, sum(amount) as balance
  from booked
  where starts_with(account, 'Digital Assets: ') and account <> 'Digital Assets: Deposits'
  group by all
), positions as (
  select address, 'Digital Assets: ' || asset as account, sum(cost_basis_usd) as basis
  from closing_positions
  group by all
)
select address, account, coalesce(balance, 0)::varchar as balance, coalesce(basis, 0)::varchar as basis
from balances
full join positions using (address, account)
where coalesce(balance, 0) <> coalesce(basis, 0)
order by address, account
