-- What an account has stated about coins that wallets held before the index, wallet by wallet: lots as they were given.
create table saved_opening_lots (
  account_id uuid not null references accounts on delete cascade,
  address text not null,
  opening_lots json not null,
  saved_at timestamptz not null,
  primary key (account_id, address)
);
