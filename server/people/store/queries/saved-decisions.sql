-- name: find
select address, decisions as content, saved_at from saved_decisions
where account_id = $account and address = any($addresses)

-- name: remove
delete from saved_decisions where account_id = $account and address = $address

-- name: replace
-- Inserts or replaces saved decisions. Returns no row if the account has reached its limit of wallets with saved
-- decisions.
insert into saved_decisions (account_id, address, decisions, saved_at)
select $account::uuid, $address::text, $content::json, $now::timestamptz
where (select count(*) from saved_decisions where account_id = $account::uuid and address <> $address::text) < $max::integer
on conflict (account_id, address) do update set decisions = excluded.decisions, saved_at = excluded.saved_at
returning address, decisions as content, saved_at
