update webhooks
set
  earlier_secrets = $former::jsonb, previous_secret = secret, previous_secret_until = $until::timestamptz,
  secret = $secret
where id::text = $id and account_id = $account
returning id, url, events, created_at, previous_secret_until
