-- name: add
insert into sign_in_challenges (challenge_hash, address, expires_at) values ($hash, $address, $expires)

-- name: forget
delete from sign_in_challenges where challenge_hash in (
  select challenge_hash from sign_in_challenges where expires_at <= $now limit 5000 for update skip locked
)

-- name: remove-of-account
-- Deletes the challenges of an account's addresses. A challenge has no account id, so identities are joined by address.
delete from sign_in_challenges
where address in (select subject from identities where account_id = $account and provider = 'cosmos')

-- name: take
-- Deletes and returns a challenge. If several calls run concurrently, only one gets the row.
delete from sign_in_challenges where challenge_hash = $hash and expires_at > $now returning address
