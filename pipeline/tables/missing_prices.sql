-- Writes the days of the index without a price. Covers registered assets, and denoms that have a price on another day.
copy (
  select denom, day, null::decimal(38, 6) as usd, false as found, '' as sources, '' as rejected, $methodology::varchar as methodology_version,
    '' as quotes
  from (select unnest($denoms) as denom union select denom from prices)
  cross join (select unnest(generate_series($first::timestamp, $last::timestamp, interval 1 day))::date as day)
  anti join prices using (denom, day)
  order by denom, day
) to $path (format parquet, compression zstd)
