-- Writes balances before the index as lines: address, tab, and a JSON object with one denom.
copy (
  select address || e'\t' || json_object(denom, amount::varchar)::varchar as line
  from opening_balances
  order by address, denom
) to $path (format csv, header false, quote '', escape '', delimiter e'\x01')
