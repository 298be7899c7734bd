-- Serializes transactions that check a limit of the account.
select id from accounts where id = $account for no key update
