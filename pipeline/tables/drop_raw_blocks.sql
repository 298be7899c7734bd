-- Removes the raw blocks of these heights before other ones are inserted.
delete from raw_blocks where list_contains($heights::bigint[], height)
