-- If called concurrently, returns the row to only one caller.
delete from sign_in_challenges where challenge_hash = $hash and expires_at > $now returning address
