-- Writes the lines of a range of wallets. The first lines of a wallet are its opening holdings, one line per denom.
copy (
  with lines as (
    select
      address || e'\t' || json_object(denom, amount::varchar)::varchar as line,
      address, -1 as height, -1 as position, denom as held
    from opening_holdings
    where address > $above and address <= $up_to
    union all
    select line, address, height, position, null from row_lines('priced_events')
    where address > $above and address <= $up_to
  )
  select line from lines order by address, height, position, held
) to $path (format csv, header false, quote '', escape '', delimiter e'\x01')
