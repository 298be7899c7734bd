-- Sums the changes of the wallets' balances by block. Includes blocks before the index.
select address, denom, height, sum(amount)::decimal(38, 0)::varchar as amount
from (from coin_movements union all by name from earlier_coin_movements)
where address in (from tracked_wallets)
group by address, denom, height
order by address, denom, height
