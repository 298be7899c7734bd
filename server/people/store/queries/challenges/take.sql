-- Deletes and returns a challenge. If several calls run concurrently, only one gets the row.
delete from sign_in_challenges where challenge_hash = $hash and expires_at > $now returning address
