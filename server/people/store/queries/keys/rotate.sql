update api_keys set secret_hash = $hash, rotated_at = $now
where id = $id and account_id = $account and revoked_at is null and (expires_at is null or expires_at > $now)
returning id, name, scopes, created_at, expires_at, rotated_at, revoked_at, last_used_at, rate_limit, tier
