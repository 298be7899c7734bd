-- Wallets by the number of their rows, the smallest first.
select address, count(*) as rows from priced_events group by address order by rows, address
