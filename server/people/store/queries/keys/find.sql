select account_id as account, secret_hash as hash, scopes, expires_at, revoked_at, last_used_at, rate_limit, tier
from api_keys
where id = $id
