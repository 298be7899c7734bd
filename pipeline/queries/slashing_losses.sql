-- Losses of delegators by each slash: coins, cost in the books, and market value of that day.
-- day: UTC day of the slash.
-- wallets: Wallets with a loss.
-- lost: Base units lost.
-- cost_usd: Cost of the coins with a known cost; null if there are none.
-- of_unknown_cost: Base units of unknown cost. They are not in cost_usd.
-- market_usd: Value at the price of the day; null without a price.
select
  height,
  (any_value(time) at time zone 'UTC')::date as day,
  validator,
  any_value(moniker) as moniker,
  count(distinct address) as wallets,
  sum(quantity) as lost,
  sum(amount_usd) filter (coalesce(basis_unknown_quantity, 0) <> quantity) as cost_usd,
  coalesce(sum(basis_unknown_quantity), 0)::decimal(38, 0) as of_unknown_cost,
  sum(value_usd(quantity, decimals, price_usd)) as market_usd
from ledger_entries
join assets using (denom)
left join validators using (validator)
where category = 'slash'
group by height, validator
