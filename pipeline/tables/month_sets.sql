create or replace table module_accounts as select unnest(from_json($module_accounts, '["VARCHAR"]')) as address;
create or replace table oversized_denoms as select unnest($oversized) as denom;
create or replace table not_refunds as select unnest($not_refunds) as id;
create or replace table not_commissions as select unnest($not_commissions) as id;
create or replace table index_span as select 0 as first
