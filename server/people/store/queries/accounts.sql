-- name: add
insert into accounts (id, created_at, last_used_at) values ($id, $now::timestamptz, $now::timestamptz)

-- name: ensure-named
insert into accounts (id, name, created_at, last_used_at)
values ($id, $name, $now::timestamptz, $now::timestamptz)
on conflict (name) do update set last_used_at = greatest(accounts.last_used_at, excluded.last_used_at)
returning id

-- name: find
select name, created_at from accounts where id = $id

-- name: forget
-- Deletes a batch of accounts that own nothing and were last used before $unusedSince.
delete from accounts where id in (
  select id from accounts account
  where last_used_at < $unusedSince
    and not exists (select from sessions where account_id = account.id)
    and not exists (select from sign_in_links where account_id = account.id)
    and not exists (select from webhooks where account_id = account.id)
    and not exists (select from submissions where account_id = account.id)
    and not exists (select from saved_decisions where account_id = account.id)
    and not exists (select from saved_opening_lots where account_id = account.id)
    and not exists (
      select from api_keys
      where account_id = account.id and coalesce(revoked_at, expires_at, 'infinity') >= $unusedSince
        and coalesce(expires_at, 'infinity') >= $unusedSince
    )
  limit 1000 for update skip locked
)

-- name: lock
-- Locks the account's row, so that transactions that check a limit of the account run one after another.
select id from accounts where id = $account for no key update

-- name: remove
delete from accounts where id = $id
