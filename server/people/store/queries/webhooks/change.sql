update webhooks set url = coalesce($url::text, url), events = coalesce($events::text[], events)
where id::text = $id and account_id = $account
returning id, url, events, created_at, previous_secret_until
