delete from oidc_visits where state_hash = $hash and expires_at > $now returning code_verifier as verifier, nonce
