-- Sums of the wallets' changes of balances by block.
select address, denom, height, sum(amount)::decimal(38, 0)::varchar as amount
from coin_movements
where address in (from own_wallets)
group by address, denom, height
order by address, denom, height
