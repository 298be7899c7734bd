create or replace view validator_edges as
from folded_validator_edges where height >= (select first from index_span)
