-- Those that are over go on this occasion.
with over as (delete from sessions where expires_at <= $now)
insert into sessions (token_hash, account_id, created_at, expires_at) values ($hash, $account, $now, $expires)
