-- Lists an account's sessions. A session's id is the start of its token's hash, which does not reveal the token.
select encode(substring(token_hash from 1 for 8), 'hex') as id, device, created_at, last_used_at, expires_at, token_hash = $hash as current
from sessions
where account_id = $account and expires_at > $now
order by current desc, last_used_at desc, created_at desc, id
