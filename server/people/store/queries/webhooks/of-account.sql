select id, url, events, created_at, previous_secret_until
from webhooks
where account_id = $account
order by created_at, id
