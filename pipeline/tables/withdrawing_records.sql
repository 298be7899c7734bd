-- Without a starting state, share records (x/liquid) whose tokens never move are known only by their rewards.
insert into own_accounts select distinct delegator from share_rewards
