-- Adds an identity. If a concurrent transaction is adding the same identity, waits for it and adds nothing.
insert into identities (provider, subject, account_id, created_at)
values ($provider, $subject, $account, $now)
on conflict do nothing
returning provider
