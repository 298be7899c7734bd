-- Lists the categories, denoms and validators that occur in rows, each with the list that must contain it.
create or replace table row_names as
select category as name, 'categories' as list from priced_events
union
select sent_denom, 'assets' from priced_events where sent_denom is not null
union
select received_denom, 'assets' from priced_events where received_denom is not null
union
select fee_denom, 'assets' from priced_events where fee_denom is not null
union
select validator, 'validators' from priced_events where validator is not null
union
select denom, 'assets' from coin_movements
union
select denom, 'assets' from supply_changes
