-- What people propose for the reviewed data, and what the operator said to it.
create table submissions (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  kind text not null,
  contract_address text not null,
  note text not null,
  status text not null default 'received',
  submitted_at timestamptz not null,
  reviewed_at timestamptz
);
create index submissions_by_status on submissions (status, submitted_at);
