delete from sign_in_challenges where challenge_hash in (
  select challenge_hash from sign_in_challenges where expires_at <= $now limit 5000 for update skip locked
)
