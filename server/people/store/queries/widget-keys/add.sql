insert into widget_keys (id, validator, origins, secret_hash, created_at)
values ($id, $validator, $origins, $hash, $now)
