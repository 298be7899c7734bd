delete from saved_opening_lots where account_id = $account and address = $address
