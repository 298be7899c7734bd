delete from sessions where account_id = $account
