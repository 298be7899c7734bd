-- Writes the quotes of prices as lines: denom, tab, and JSON as in pipeline/publish/wallet-index/events-format.ts.
copy (
  select denom || e'\t' || json_array(day::varchar, quotes)::varchar as line
  from prices
  where found and quotes <> ''
  order by denom, day
) to $path (format csv, header false, quote '', escape '', delimiter e'\x01')
