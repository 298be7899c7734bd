-- Waits for a concurrent transaction that is adding the same identity, and then adds nothing.
insert into identities (provider, subject, account_id, created_at)
values ($provider, $subject, $account, $now)
on conflict do nothing
returning provider
