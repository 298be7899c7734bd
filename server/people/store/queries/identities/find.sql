select account_id as account from identities where provider = $provider and subject = $subject
