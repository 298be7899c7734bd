-- Adds the accounts of share records (x/liquid). Without a starting state only their rewards reveal records whose tokens never move.
insert into own_accounts select distinct delegator from share_rewards
