create or replace view unbonding_intervals as
from folded_unbonding_intervals
where (to_height is null or to_height > (select first from index_span))
  and (select until >= first from index_span)
