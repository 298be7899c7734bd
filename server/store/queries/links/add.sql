-- Those that are over go on this occasion.
with over as (delete from sign_in_links where expires_at <= $now)
insert into sign_in_links (token_hash, account_id, expires_at) values ($hash, $account, $expires)
