select sent_denom as denom from chain_events where sent_denom is not null
union
select received_denom from chain_events where received_denom is not null
union
select fee_denom from chain_events where fee_denom is not null
union
select denom from coin_movements
union
select denom from opening_balances
union
select denom from supply_changes
union
select denom from prices
