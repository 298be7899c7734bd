-- The rows of one file of raw blocks join those at hand.
insert into raw_blocks from read_parquet($path);
