-- Writes prices as lines: denom, tab, and JSON as in pipeline/publish/wallet-index/events-format.ts.
copy (
  select denom || e'\t' || json_array(day::varchar, unscaled(usd))::varchar as line
  from prices
  where found
  order by denom, day
) to $path (format csv, header false, quote '', escape '', delimiter e'\x01')
