-- Tens of thousands of accounts without a key, as a table for fast lookup.
create or replace table own_accounts as select unnest($own_accounts) as address
