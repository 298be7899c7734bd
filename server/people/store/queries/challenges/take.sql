-- Deletes and returns a challenge. Of concurrent calls, only one gets the row.
delete from sign_in_challenges where challenge_hash = $hash and expires_at > $now returning address
