delete from sessions
where account_id = $account and encode(substring(token_hash from 1 for 8), 'hex') = $id
returning token_hash
