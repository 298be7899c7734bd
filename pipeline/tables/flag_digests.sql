-- Computes a hash of each month's flagged receipts.
select strftime(time, '%Y-%m') as month, sum(hash(flagged_receipts))::varchar as content
from flagged_receipts
group by month
