-- Challenges have no account, only an address that may be one of its identities.
delete from sign_in_challenges
where address in (select subject from identities where account_id = $account and provider = 'cosmos')
