update webhooks set previous_secret = secret, previous_secret_until = $until, secret = $secret
where id::text = $id and account_id = $account
returning id, url, events, created_at, previous_secret_until
