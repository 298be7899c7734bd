-- The account of that name, made when it is missing. The update that changes nothing lets an existing row be returned.
insert into accounts (id, name, created_at)
values ($id, $name, $now)
on conflict (name) do update set name = excluded.name
returning id
