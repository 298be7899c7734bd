-- Locks the account's row, so that transactions that check a limit of the account run one after another.
select id from accounts where id = $account for no key update
