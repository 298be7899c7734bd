update sessions set expires_at = $expires where token_hash = $hash
