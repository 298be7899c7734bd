-- Without a starting state, only rewards reveal share records (x/liquid) whose tokens never move.
insert into own_accounts select distinct delegator from share_rewards
