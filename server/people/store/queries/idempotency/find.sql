select body_hash, sealed_answer from idempotent_requests where request_hash = $hash and expires_at > $now
