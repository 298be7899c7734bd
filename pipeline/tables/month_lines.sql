-- Writes the lines of one month's rows, in the order of its files.
copy (
  select line from row_lines('month_events')
) to $path (format csv, header false, quote '', escape '', delimiter e'\x01')
