-- Keys of pages that embed a delegator's report: of one validator, for pages of these origins.
create table widget_keys (
  id text primary key,
  validator text not null,
  origins text[] not null,
  secret_hash bytea not null,
  created_at timestamptz not null,
  revoked_at timestamptz
);
