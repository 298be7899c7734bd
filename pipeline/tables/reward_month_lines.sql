-- Writes rewards by month as lines: address, tab, and JSON as in pipeline/publish/wallet-index/holdings-format.ts.
copy (
  select address || e'\t' || json_array(month, denom, earned::varchar, paid::varchar, unclaimed::varchar)::varchar as line
  from reward_months
  order by address, month, denom
) to $path (format csv, header false, quote '', escape '', delimiter e'\x01')
