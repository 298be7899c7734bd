-- name: find
select address, opening_lots as content, saved_at from saved_opening_lots
where account_id = $account and address = any($addresses)

-- name: remove
delete from saved_opening_lots where account_id = $account and address = $address

-- name: replace
-- Inserts or replaces saved lots. Returns no row if the account has reached its limit of wallets with saved lots.
insert into saved_opening_lots (account_id, address, opening_lots, saved_at)
select $account::uuid, $address::text, $content::json, $now::timestamptz
where (select count(*) from saved_opening_lots where account_id = $account::uuid and address <> $address::text) < $max::integer
on conflict (account_id, address) do update set opening_lots = excluded.opening_lots, saved_at = excluded.saved_at
returning address, opening_lots as content, saved_at
