select id, validator, origins, created_at, revoked_at from widget_keys
order by created_at, id
