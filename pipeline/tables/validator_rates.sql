-- Selects the rates that changed in the index. The first rows have the rates with which holdings begin.
create or replace view validator_rates as
select validator, close_height as height, tokens, shares
from folded_validator_days
where close_height = (select opening from index_span) and tokens <> shares
union all
select validator, height, tokens, shares from folded_validator_rates where height > (select opening from index_span)
