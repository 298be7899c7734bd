-- Inserts by column name, because files of older program versions lack the column checksum.
insert into raw_blocks by name select * from read_parquet($path);
