-- Who wants to hear of releases and upgrades, what was sent there, and what has been told already.
create table webhooks (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  url text not null,
  events text[] not null,
  -- Kept as it is: every delivery is signed with it.
  secret text not null,
  previous_secret text,
  previous_secret_until timestamptz,
  created_at timestamptz not null
);
create index webhooks_of_account on webhooks (account_id, created_at);

create table webhook_deliveries (
  id uuid primary key,
  webhook_id uuid not null references webhooks on delete cascade,
  event_id uuid not null,
  type text not null,
  -- Sent byte by byte, at every attempt.
  body text not null,
  status text not null default 'pending',
  attempts integer not null default 0,
  response_status integer,
  error text,
  created_at timestamptz not null,
  next_attempt_at timestamptz,
  delivered_at timestamptz
);
create index webhook_deliveries_due on webhook_deliveries (next_attempt_at) where status = 'pending';
create index webhook_deliveries_of_webhook on webhook_deliveries (webhook_id, created_at);
create index webhook_deliveries_by_age on webhook_deliveries (created_at);

-- One row: releases that were known, and the upgrade that was coming, when somebody was last told.
create table announcements (
  only_row boolean primary key default true check (only_row),
  versions text[] not null default '{}',
  pending_upgrade jsonb
);
insert into announcements default values;
