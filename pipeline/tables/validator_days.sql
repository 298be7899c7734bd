-- Validators at the close of the index's days, those that are proved to their end.
create or replace view validator_days as
from folded_validator_days
where close_height >= (select first from index_span) and day < coalesce((select stop_day from index_span), 'infinity')
