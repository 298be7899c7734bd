-- The rate of each validator's shares at the close of each day, while it has some.
select validator, day, tokens, shares from validator_days where shares > 0 order by validator, day
