-- Writes delegations as lines: delegator, tab, and JSON as in pipeline/publish/wallet-index/holdings-format.ts. Only the
-- ratios of the native coin, because sorting the ratios of all denoms would need gigabytes.
copy (
  select
    delegator || e'\t' || json_array(
      validator,
      from_height,
      to_height,
      unscaled(shares),
      unscaled(stake),
      start_period,
      ratio_text(list_filter(start_ratio, lambda coin: coin.denom = $native))
    )::varchar as line
  from delegation_intervals
  order by delegator, validator, from_height
) to $path (format csv, header false, quote '', escape '', delimiter e'\x01')
