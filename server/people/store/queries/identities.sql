-- name: add
-- Adds an identity. If a concurrent transaction is adding the same identity, waits for it and adds nothing.
insert into identities (provider, subject, account_id, created_at)
values ($provider, $subject, $account, $now)
on conflict do nothing
returning provider

-- name: find
select account_id as account from identities where provider = $provider and subject = $subject

-- name: of-account
select provider, subject from identities where account_id = $account order by created_at, provider, subject
