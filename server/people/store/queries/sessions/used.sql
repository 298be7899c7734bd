with session as (
  update sessions set last_used_at = $hour::timestamptz
  where token_hash = $hash and last_used_at < $hour::timestamptz
  returning account_id
)
update accounts set last_used_at = greatest(last_used_at, $hour::timestamptz)
from session
where id = account_id
