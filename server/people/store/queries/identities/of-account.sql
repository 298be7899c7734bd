select provider, subject from identities where account_id = $account order by created_at, provider, subject
