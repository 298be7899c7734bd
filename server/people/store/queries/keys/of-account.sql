select id, name, scopes, created_at, expires_at, rotated_at, revoked_at, last_used_at, rate_limit, tier
from api_keys
where account_id = $account
order by created_at, id
