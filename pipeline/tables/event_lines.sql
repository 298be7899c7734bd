-- Writes each row as a line: address, tab, and JSON as in pipeline/publish/wallet-index/events-format.ts. JSON never contains a tab. Prices are
-- micro-USD. A wallet's first lines are its opening holdings, one per denom.
copy (
  with lines as (
    select
      address || e'\t' || json_object(denom, amount::varchar)::varchar as line,
      address, -1 as height, -1 as position, denom as held
    from opening_holdings
    union all
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
      )::varchar,
      address, height, position, null
    from priced_events
  )
  select line from lines order by address, height, position, held
) to $path (format csv, header false, quote '', escape '', delimiter e'\x01')
