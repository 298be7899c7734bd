delete from submissions where id::text = $id and account_id = $account returning id
