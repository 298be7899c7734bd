delete from accounts where id = $id
