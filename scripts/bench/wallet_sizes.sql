-- Wallets by the number of their rows, the smallest first, each with a transfer of its own that can be tagged.
select address, count(*) as rows, min(tx_hash) filter (category in ('transfer_in', 'transfer_out')) as transfer
from priced_events
group by address
order by rows, address
