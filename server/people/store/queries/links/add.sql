insert into sign_in_links (token_hash, account_id, expires_at) values ($hash, $account, $expires)
