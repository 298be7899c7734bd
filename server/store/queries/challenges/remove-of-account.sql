-- A challenge belongs to no account, and names an address that may be an account's.
delete from sign_in_challenges
where address in (select subject from identities where account_id = $account and provider = 'cosmos')
