update widget_keys set revoked_at = coalesce(revoked_at, $now)
where id = $id
returning id
