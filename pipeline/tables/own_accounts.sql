create or replace table own_accounts as select unnest(from_json($own_accounts, '["VARCHAR"]')) as address
