select validator, origins, secret_hash as hash from widget_keys
where id = $id and revoked_at is null
