create or replace table own_accounts as select unnest($own_accounts) as address
