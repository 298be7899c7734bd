create or replace table own_wallets as select unnest($addresses) as address
