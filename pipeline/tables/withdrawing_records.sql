-- Finds share records (x/liquid) whose tokens never moved. Without a starting state, only their rewards show that they
-- exist.
insert into module_accounts select delegator from rewarded
