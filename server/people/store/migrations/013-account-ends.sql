-- When somebody was last signed in to an account, kept to the hour: one that owns nothing is forgotten some time after that. Accounts
-- that are there already begin to count now; a server of the version before may still add rows.
alter table accounts add column last_used_at timestamptz not null default now();
create index accounts_by_last_use on accounts (last_used_at);
alter table sessions alter column last_used_at set default now();

-- First answers go with their account.
alter table idempotent_requests add column account_id uuid references accounts on delete cascade;
create index idempotent_requests_of_account on idempotent_requests (account_id);
create index sign_in_links_of_account on sign_in_links (account_id);
