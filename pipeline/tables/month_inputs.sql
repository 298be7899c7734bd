copy (from state_events where height between $first and $last order by all) to $states (format parquet);
copy (from balance_corrections where height between $first and $last order by all) to $corrections (format parquet);
copy (
  from prices
  where strftime(day, '%Y-%m') = $month and denom in (select denom from denoms where month = $month)
  order by all
) to $prices (format parquet)
