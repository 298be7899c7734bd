insert into idempotent_requests (request_hash, account_id, body_hash, sealed_answer, expires_at)
values ($hash, $account, $bodyHash, $answer, $expires)
on conflict (request_hash) do update
set body_hash = excluded.body_hash, sealed_answer = excluded.sealed_answer, expires_at = excluded.expires_at
