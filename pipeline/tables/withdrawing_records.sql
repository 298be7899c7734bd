-- Adds share records without transfers, for a dataset without a starting state.
insert into own_accounts select distinct delegator from share_rewards
