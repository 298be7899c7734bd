select address, decisions as content, saved_at from saved_decisions
where account_id = $account and address = any($addresses)
