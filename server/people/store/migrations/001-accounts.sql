-- Who people are to us. Secrets are kept as SHA-256 of 256 random bits only.
create table accounts (
  id uuid primary key,
  -- The operator's name for an account that the command line made.
  name text unique,
  created_at timestamptz not null
);

-- Ways to prove to be an account: a wallet's address, or a subject of an OpenID provider.
create table identities (
  provider text not null,
  subject text not null,
  account_id uuid not null references accounts on delete cascade,
  created_at timestamptz not null,
  primary key (provider, subject)
);
create index identities_of_account on identities (account_id);

create table sessions (
  token_hash bytea primary key,
  account_id uuid not null references accounts on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null
);

create table api_keys (
  id text primary key,
  account_id uuid not null references accounts on delete cascade,
  name text not null,
  secret_hash bytea not null,
  scopes text[] not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  rotated_at timestamptz,
  revoked_at timestamptz,
  -- Cut off at the hour.
  last_used_at timestamptz
);
create index api_keys_of_account on api_keys (account_id, created_at);

-- Texts that wallets are asked to sign; a row goes with the first attempt to use it.
create table sign_in_challenges (
  challenge_hash bytea primary key,
  address text not null,
  expires_at timestamptz not null
);

create table sign_in_links (
  token_hash bytea primary key,
  account_id uuid not null references accounts on delete cascade,
  expires_at timestamptz not null
);

-- Visits to an OpenID provider from which nobody has come back yet.
create table oidc_visits (
  state_hash bytea primary key,
  code_verifier text not null,
  nonce text not null,
  expires_at timestamptz not null
);
