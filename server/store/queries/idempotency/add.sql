-- Those that are over go on this occasion; one with the same hash is replaced.
with over as (delete from idempotent_requests where expires_at <= $now and request_hash <> $hash)
insert into idempotent_requests (request_hash, body_hash, sealed_answer, expires_at)
values ($hash, $bodyHash, $answer, $expires)
on conflict (request_hash) do update
set body_hash = excluded.body_hash, sealed_answer = excluded.sealed_answer, expires_at = excluded.expires_at
