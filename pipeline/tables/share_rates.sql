select validator, day, tokens, shares from validator_days where shares > 0 order by validator, day
