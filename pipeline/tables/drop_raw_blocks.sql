delete from raw_blocks where list_contains($heights::bigint[], height)
