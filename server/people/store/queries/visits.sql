-- name: add
insert into oidc_visits (state_hash, code_verifier, nonce, expires_at) values ($hash, $codeVerifier, $nonce, $expires)

-- name: forget
delete from oidc_visits where state_hash in (
  select state_hash from oidc_visits where expires_at <= $now limit 5000 for update skip locked
)

-- name: take
delete from oidc_visits where state_hash = $hash and expires_at > $now returning code_verifier as verifier, nonce
