-- Revokes a key. $validators is null if the operator of the service revokes it. A second call does not change
-- revoked_at.
update widget_keys set revoked_at = coalesce(revoked_at, $now)
where id = $id and ($validators::text[] is null or validator = any ($validators::text[]))
returning id
