-- A challenge has no account id, only an address. The address may be an identity of the account.
delete from sign_in_challenges
where address in (select subject from identities where account_id = $account and provider = 'cosmos')
