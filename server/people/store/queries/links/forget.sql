delete from sign_in_links where token_hash in (
  select token_hash from sign_in_links where expires_at <= $now limit 5000 for update skip locked
)
