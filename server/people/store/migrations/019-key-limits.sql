-- Requests a minute of one key: a number, or a tier whose number is in HUBLEDGER_TIERS. A key with neither counts against its account's quota.
alter table api_keys
  add column rate_limit integer check (rate_limit > 0),
  add column tier text,
  add constraint api_keys_one_limit check (rate_limit is null or tier is null);
