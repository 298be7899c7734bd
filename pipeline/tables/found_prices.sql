from prices where found order by denom, day
