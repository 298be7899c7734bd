-- Writes changes of liquid coins as lines: address, tab, and JSON as in pipeline/publish/wallet-index/holdings-format.ts.
copy (
  select address || e'\t[' || height || ',' || to_json(denom)::varchar || ',"' || amount || '"]' as line
  from (
    select address, height, denom, sum(amount) as amount from coin_movements group by all having sum(amount) <> 0
  )
  order by address, height, denom
) to $path (format csv, header false, quote '', escape '', delimiter e'\x01')
