-- Validators at the close of the index's days, those that are proved to their end. The starting state has no day of its own: it counts
-- where its block closes one.
create or replace view validator_days as
with closes as (
  select * replace (if(close_height = (select opening from index_span), (select opening_day from index_span), day) as day)
  from folded_validator_days
  where close_height >= (select first from index_span)
)
from closes
where day < coalesce((select stop_day from index_span), 'infinity')
