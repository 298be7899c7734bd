-- Writes flagged receipts as lines: address, tab, and JSON as in pipeline/publish/wallet-index/events-format.ts.
copy (
  select
    address || e'\t' || json_array(
      record_id,
      height,
      position,
      time::timestamp::varchar,
      tx_hash,
      denom,
      quantity::varchar,
      sender,
      memo,
      reason,
      evidence,
      claimed_symbol
    )::varchar as line
  from flagged_receipts
  order by address, height, position
) to $path (format csv, header false, quote '', escape '', delimiter e'\x01')
