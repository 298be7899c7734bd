select name, created_at from accounts where id = $id
