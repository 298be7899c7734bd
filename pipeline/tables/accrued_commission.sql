select validator, day, commission
from validator_days
qualify close_height = max(close_height) over (partition by date_trunc('month', day))
order by validator, day
