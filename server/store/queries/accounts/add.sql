insert into accounts (id, created_at) values ($id, $now)
