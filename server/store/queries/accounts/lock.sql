-- Until the transaction ends nobody else counts what the account has.
select id from accounts where id = $account for no key update
