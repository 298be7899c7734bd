-- Waits for another transaction that adds the same, and adds nothing then.
insert into identities (provider, subject, account_id, created_at)
values ($provider, $subject, $account, $now)
on conflict do nothing
returning provider
