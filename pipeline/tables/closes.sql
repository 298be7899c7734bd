-- The last blocks of the index's days.
select distinct close_height from folded_validator_days order by close_height
