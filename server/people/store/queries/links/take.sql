delete from sign_in_links where token_hash = $hash and expires_at > $now returning account_id as account
