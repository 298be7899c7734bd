-- The accounts that no key holds, tens of thousands: as a table they are looked up, as a list they would be gone through.
create or replace table own_accounts as select unnest($own_accounts) as address
