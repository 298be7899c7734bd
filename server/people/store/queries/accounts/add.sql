insert into accounts (id, created_at, last_used_at) values ($id, $now::timestamptz, $now::timestamptz)
