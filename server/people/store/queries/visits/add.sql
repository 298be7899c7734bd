insert into oidc_visits (state_hash, code_verifier, nonce, expires_at) values ($hash, $codeVerifier, $nonce, $expires)
