create or replace view priced_events as
select
  event.*,
  case
    when category = 'ibc_in' then regexp_extract(detail, '^Over ([^ ,]+), packet ', 1)
    when starts_with(link, 'ibc-') then regexp_extract(link, '/([^/]+)/[0-9]+$', 1)
  end as channel,
  case
    when category = 'ibc_in' then try_cast(regexp_extract(detail, ', packet ([0-9]+)$', 1) as bigint)
    when starts_with(link, 'ibc-') then try_cast(regexp_extract(link, '/([0-9]+)$', 1) as bigint)
  end as sequence,
  sent.usd as sent_price,
  received.usd as received_price,
  fee.usd as fee_price
from chain_events as event
left join prices as sent on sent.denom = event.sent_denom and sent.day = event.time::date
left join prices as received on received.denom = event.received_denom and received.day = event.time::date
left join prices as fee on fee.denom = event.fee_denom and fee.day = event.time::date
