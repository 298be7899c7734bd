-- Those that are over go on this occasion.
with over as (delete from sign_in_challenges where expires_at <= $now)
insert into sign_in_challenges (challenge_hash, address, expires_at) values ($hash, $address, $expires)
