select received_denom as denom from chain_events where received_denom is not null
union
select denom from share_rewards
