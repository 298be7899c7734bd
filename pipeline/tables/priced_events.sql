create or replace view priced_events as
select
  event.*,
  sent.usd as sent_price,
  received.usd as received_price,
  fee.usd as fee_price
from chain_events as event
left join prices as sent on sent.denom = event.sent_denom and sent.day = event.time::date
left join prices as received on received.denom = event.received_denom and received.day = event.time::date
left join prices as fee on fee.denom = event.fee_denom and fee.day = event.time::date
