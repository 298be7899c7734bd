-- name: add
insert into sign_in_links (token_hash, account_id, expires_at) values ($hash, $account, $expires)

-- name: forget
delete from sign_in_links where token_hash in (
  select token_hash from sign_in_links where expires_at <= $now limit 5000 for update skip locked
)

-- name: take
delete from sign_in_links where token_hash = $hash and expires_at > $now returning account_id as account
