delete from sessions where token_hash in (
  select token_hash from sessions where expires_at <= $now limit 5000 for update skip locked
)
