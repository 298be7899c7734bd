insert into api_keys (id, account_id, name, secret_hash, scopes, created_at, expires_at)
values ($id, $account, $name, $hash, $scopes, $now, $expires)
returning id, name, scopes, created_at, expires_at, rotated_at, revoked_at, last_used_at
