-- What an account has decided about flagged receipts, wallet by wallet. json and not jsonb: a record id may hold any character.
create table saved_decisions (
  account_id uuid not null references accounts on delete cascade,
  address text not null,
  decisions json not null,
  saved_at timestamptz not null,
  primary key (account_id, address)
);
