-- Writes each liquid balance on the days on which it changed as lines: address, tab, and JSON as in
-- pipeline/publish/wallet-index/holdings-format.ts. Each layer of the wallet index also has the first row of each wallet.
copy (
  select address || e'\t' || json_array(day::varchar, liquid::varchar)::varchar as line
  from daily_holdings
  qualify liquid is distinct from lag(liquid) over (partition by address order by day)
  order by address, day
) to $path (format csv, header false, quote '', escape '', delimiter e'\x01')
