insert into sign_in_challenges (challenge_hash, address, expires_at) values ($hash, $address, $expires)
