select
  key.id, key.name, scopes, key.created_at, expires_at, rotated_at, revoked_at, key.last_used_at, rate_limit, tier,
  coalesce(account.name, account.id::text) as account
from api_keys key join accounts account on account.id = key.account_id
order by key.created_at, key.id
