-- Foreign keys delete all data of the account.
delete from accounts where id = $id
