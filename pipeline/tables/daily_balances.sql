-- Selects each liquid balance on the days on which it changed. For each layer of the wallet index, also selects the
-- first row of each wallet.
select address, day, liquid
from daily_holdings
qualify liquid is distinct from lag(liquid) over (partition by address order by day)
order by address, day
