create or replace view block_nanos as
from folded_block_nanos where height >= (select first from index_span)
