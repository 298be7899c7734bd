select id, url, events, created_at, previous_secret_until
from webhooks
where id::text = $id and account_id = $account
