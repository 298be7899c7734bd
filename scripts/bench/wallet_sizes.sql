-- Selects wallets by number of rows, smallest first. Returns for each wallet one of its transfers, and the number of
-- rows later than its first row. Omits wallets with flagged receipts, because the server rejects requests about them
-- until the receipts are decided.
with
  firsts as (select *, min(time) over (partition by address) as first from priced_events)
select
  address,
  count(*) as rows,
  strftime(any_value(first), '%Y-%m-%d %H:%M:%S') as first,
  count(*) filter (time > first) as later_rows,
  min(tx_hash) filter (category in ('transfer_in', 'transfer_out')) as transfer
from firsts
where address not in (select address from flagged_receipts)
group by address
order by rows, address
