insert into accounts (id, name, created_at, last_used_at)
values ($id, $name, $now::timestamptz, $now::timestamptz)
on conflict (name) do update set last_used_at = greatest(accounts.last_used_at, excluded.last_used_at)
returning id
