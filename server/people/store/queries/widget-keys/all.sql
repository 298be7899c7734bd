-- Lists the keys of $validators; null lists all keys.
select id, validator, origins, created_at, last_used_at, revoked_at from widget_keys
where $validators::text[] is null or validator = any ($validators::text[])
order by created_at, id
