-- Writes the states of the wallets that have rows in this month, one line per wallet. JSON never contains the delimiter.
copy (
  select state from earlier_states semi join month_events using (address) order by address
) to $path (format csv, header false, quote '', escape '', delimiter e'\x01')
