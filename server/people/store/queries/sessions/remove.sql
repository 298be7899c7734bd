delete from sessions where token_hash = $hash
