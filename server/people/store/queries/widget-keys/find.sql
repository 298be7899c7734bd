select validator, origins, secret_hash as hash, last_used_at from widget_keys
where id = $id and revoked_at is null
