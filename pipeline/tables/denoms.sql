select denom from denoms
union
select denom from opening_balances
union
select denom from prices
