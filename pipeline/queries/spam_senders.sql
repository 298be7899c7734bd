-- Senders of flagged receipts, by coin and reason.
-- receipts: Flagged receipts.
-- wallets: Wallets that received them.
-- first_day: UTC day of the first receipt.
-- last_day: UTC day of the last receipt.
select
  sender,
  denom,
  reason,
  count(*) as receipts,
  count(distinct address) as wallets,
  (min(time) at time zone 'UTC')::date as first_day,
  (max(time) at time zone 'UTC')::date as last_day
from flagged_receipts
group by sender, denom, reason
