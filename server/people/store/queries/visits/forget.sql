delete from oidc_visits where state_hash in (
  select state_hash from oidc_visits where expires_at <= $now limit 5000 for update skip locked
)
