delete from sessions where account_id = $account and token_hash <> $hash
