-- Deletes the challenges of an account's addresses. A challenge has no account id, so identities are joined by address.
delete from sign_in_challenges
where address in (select subject from identities where account_id = $account and provider = 'cosmos')
