-- Those that are over go on this occasion.
with over as (delete from oidc_visits where expires_at <= $now)
insert into oidc_visits (state_hash, code_verifier, nonce, expires_at) values ($hash, $codeVerifier, $nonce, $expires)
