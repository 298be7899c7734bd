-- Transaction fees of all wallets by UTC month and coin, including fees of failed transactions.
-- month: Month of the transactions, YYYY-MM.
-- transactions: Transactions with a fee in this coin.
-- failed: Failed transactions among them.
-- payers: Wallets that paid.
-- fees: Base units paid.
-- fees_usd: Value at the prices of the days; null if no day has a price.
-- without_price: Transactions whose fee is in no value.
select
  strftime(time at time zone 'UTC', '%Y-%m') as month,
  fee_denom as denom,
  symbol,
  count(*) as transactions,
  count(*) filter (category = 'fee_failed') as failed,
  count(distinct address) as payers,
  sum(fee_amount) as fees,
  sum(value_usd(fee_amount, decimals, fee_price)) as fees_usd,
  count(*) filter (fee_price is null) as without_price
from priced_events
left join assets on assets.denom = fee_denom
where category in ('fee', 'fee_failed')
group by all
