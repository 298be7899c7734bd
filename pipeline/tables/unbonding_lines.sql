-- Writes unbonding entries as lines: delegator, tab, and JSON as in pipeline/publish/wallet-index/holdings-format.ts.
copy (
  select
    delegator || e'\t' || json_array(
      validator,
      creation_height,
      strftime(completion_time, '%Y-%m-%d %H:%M:%S'),
      from_height,
      to_height,
      balance::varchar
    )::varchar as line
  from unbonding_intervals
  order by delegator, validator, creation_height, from_height
) to $path (format csv, header false, quote '', escape '', delimiter e'\x01')
