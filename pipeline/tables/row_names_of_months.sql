-- Combines the names that the audits of all months have collected.
create or replace table row_names as select distinct name, list from read_parquet($files)
