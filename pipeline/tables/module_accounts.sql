create or replace table module_accounts as select unnest(from_json($module_accounts, '["VARCHAR"]')) as address
