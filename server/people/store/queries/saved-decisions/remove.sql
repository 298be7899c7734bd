delete from saved_decisions where account_id = $account and address = $address
