update sessions set last_used_at = $hour where token_hash = $hash and last_used_at < $hour
