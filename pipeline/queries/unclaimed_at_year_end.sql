-- Unclaimed staking rewards of each wallet and coin at the end of each year. The last year ends with the last day whose end is known.
-- year: UTC year.
select address, denom, left(month, 4)::integer as year, unclaimed
from reward_months
qualify month = max(month) over (partition by address, denom, left(month, 4))
