-- Rows at hand → one file of raw blocks. The order makes the file's bytes a function of its rows.
copy (from raw_blocks order by height) to $path (format parquet, compression zstd);
