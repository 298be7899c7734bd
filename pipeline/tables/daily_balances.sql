-- The liquid balance of each day on which it changed. A layer of the wallet index also has each wallet's first row.
select address, day, liquid
from daily_holdings
qualify liquid is distinct from lag(liquid) over (partition by address order by day)
order by address, day
