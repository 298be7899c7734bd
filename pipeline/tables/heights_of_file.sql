select height from read_parquet($path)
