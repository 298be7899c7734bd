-- priced_events are chain_events, row for row and column for column, but for the one that only flags ask for.
(
  select 'without a price row' as fault, id from (
    select * exclude (unsolicited) from chain_events except select * exclude (sent_price, received_price, fee_price) from priced_events
  )
  union all
  select 'not an event' as fault, id from (
    select * exclude (sent_price, received_price, fee_price) from priced_events
    except select * exclude (unsolicited) from chain_events
  )
  union all
  select 'more than once' as fault, id from priced_events group by id having count(*) > 1
)
order by id
