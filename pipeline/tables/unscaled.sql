-- Returns a decimal as a whole number of its smallest unit: '1.50' becomes '150', and '0.05' becomes '5'.
create or replace macro unscaled(amount) as coalesce(nullif(ltrim(replace(amount::varchar, '.', ''), '0'), ''), '0')
