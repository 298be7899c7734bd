-- Share records whose tokens never move here, in a dataset without a starting state: their accounts withdraw all the same.
insert into own_accounts select distinct delegator from share_rewards
