-- Selects the validators at the end of each day with proved holdings. Includes the starting state only if its block is
-- the last block of a day.
create or replace view validator_days as
with closes as (
  select * replace (if(close_height = (select opening from index_span), (select opening_day from index_span), day) as day)
  from folded_validator_days
  where close_height >= (select first from index_span)
)
from closes
where day < coalesce((select stop_day from index_span), 'infinity')
