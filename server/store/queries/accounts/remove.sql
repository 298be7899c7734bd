-- All that belongs to it goes with it, by its references.
delete from accounts where id = $id
