-- Rows of these heights leave the raw blocks at hand: others take their place.
delete from raw_blocks where list_contains($heights::bigint[], height)
