-- For each wallet, denom and transaction (or block), the sum of rows equals coin_received − coin_spent. Ignores module
-- accounts, corrections, and losses of coins that were not liquid. In rows that tokenize or redeem shares, only the
-- share token counts.
with effects as (
  select address, height, tx_hash, received_denom as denom, received_amount as amount
  from priced_events
  where received_amount is not null and category not in ('slash', 'gov_deposit_burned', 'redeem_shares')
  union all
  select address, height, tx_hash, sent_denom, -sent_amount
  from priced_events
  where sent_amount is not null and category not in ('slash', 'gov_deposit_burned', 'tokenize_shares')
  union all
  select address, height, tx_hash, fee_denom, -fee_amount
  from priced_events
  where fee_amount is not null
),
explained as (
  select address, height, tx_hash, denom, sum(amount) as amount
  from effects
  group by all
),
moved as (
  select address, height, tx_hash, denom, sum(amount) as amount
  from coin_movements
  where address not in (from module_accounts) and tx_hash not like 'correction:%'
  group by all
)
select
  address,
  height,
  tx_hash,
  denom,
  coalesce(explained.amount, 0)::varchar as rows_say,
  coalesce(moved.amount, 0)::varchar as bank_says
from explained
full join moved using (address, height, tx_hash, denom)
where coalesce(explained.amount, 0) <> coalesce(moved.amount, 0)
order by height, tx_hash, address, denom;
