-- Wallets by the number of their rows, the smallest first, each with a transfer of its own that can be tagged. Those with
-- flagged receipts have no answer without decisions.
select address, count(*) as rows, min(tx_hash) filter (category in ('transfer_in', 'transfer_out')) as transfer
from priced_events
where address not in (select address from flagged_receipts)
group by address
order by rows, address
