-- Prevents concurrent checks of the limits of the account.
select id from accounts where id = $account for no key update
