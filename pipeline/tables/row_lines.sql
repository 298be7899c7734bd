-- Returns each row of priced_events as a line: address, tab, and JSON as in
-- pipeline/publish/wallet-index/events-format.ts. The JSON never contains a tab. Prices are micro-USD.
create or replace macro row_lines(rows) as table (
  select
    address || e'\t' || json_array(
      height,
      position,
      id,
      time::timestamp::varchar,
      tx_hash,
      category,
      case
        when sent_amount is not null and sent_denom is not null
          then json_array(sent_amount::varchar, sent_denom, replace(sent_price::varchar, '.', ''))
      end,
      case
        when received_amount is not null and received_denom is not null
          then json_array(received_amount::varchar, received_denom, replace(received_price::varchar, '.', ''))
      end,
      case
        when fee_amount is not null and fee_denom is not null
          then json_array(fee_amount::varchar, fee_denom, replace(fee_price::varchar, '.', ''))
      end,
      counterparty,
      validator,
      reward_trigger,
      detail,
      memo,
      link,
      to_own_key::integer,
      unsolicited::integer
    )::varchar as line,
    address, height, position
  from query_table(rows)
)
