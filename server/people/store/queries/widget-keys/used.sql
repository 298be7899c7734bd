update widget_keys set last_used_at = $hour
where id = $id and (last_used_at is null or last_used_at < $hour)
