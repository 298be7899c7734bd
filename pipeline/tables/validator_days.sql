-- Validators at the close of the index's days.
create or replace view validator_days as
from folded_validator_days
where close_height >= (select first from index_span)
