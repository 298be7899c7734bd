-- The hundred accounts with the most native coins at the end of each UTC day. Accounts of the chain itself are included.
-- rank: Place of the account on that day, from 1.
-- total: Base units of the three amounts together.
select
  ends.day,
  row_number() over (partition by ends.day order by liquid + staked + unbonding desc, address) as rank,
  address,
  liquid,
  staked,
  unbonding,
  (liquid + staked + unbonding)::decimal(38, 0) as total
from (select distinct day from validator_days) as ends
join (
  select *, lead(day) over (partition by address order by day) as next_day from daily_holdings
) as holdings on holdings.day <= ends.day and (next_day is null or next_day > ends.day)
qualify rank <= 100
