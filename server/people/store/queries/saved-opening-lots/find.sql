select address, opening_lots as content, saved_at from saved_opening_lots
where account_id = $account and address = any($addresses)
