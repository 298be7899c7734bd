select account_id as account, created_at, last_used_at, expires_at from sessions where token_hash = $hash and expires_at > $now
