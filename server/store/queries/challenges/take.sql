-- Of several that take the same row at once, one gets it.
delete from sign_in_challenges where challenge_hash = $hash and expires_at > $now returning address
