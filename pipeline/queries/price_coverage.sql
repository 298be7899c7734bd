-- Days with and without a published price, by coin and UTC month.
-- month: Month of the days, YYYY-MM.
-- days: Days of the month in the table prices.
-- priced_days: Days with a price.
select
  denom,
  symbol,
  strftime(day, '%Y-%m') as month,
  count(*) as days,
  count(*) filter (found) as priced_days
from prices
left join assets using (denom)
group by all
