-- Gathers the names that the audits of each month found in its rows.
create or replace table row_names as select distinct name, list from read_parquet($files)
