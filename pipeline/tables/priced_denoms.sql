select distinct denom from prices
