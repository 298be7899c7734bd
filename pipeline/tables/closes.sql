select distinct close_height from folded_validator_days order by close_height
