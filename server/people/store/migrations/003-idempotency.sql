-- First answers to requests that carried an Idempotency-Key. Neither the key nor the answer can be read from here: the request is known
-- by its hash, and the answer is sealed with the key.
create table idempotent_requests (
  request_hash bytea primary key,
  body_hash bytea not null,
  sealed_answer bytea not null,
  expires_at timestamptz not null
);
create index idempotent_requests_by_expiry on idempotent_requests (expires_at);
