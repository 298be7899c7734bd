-- Coins that arrived from other chains, left for them, and came back, by UTC month, channel and coin.
-- month: Month of the transfers, YYYY-MM.
-- channel: Channel or client of this chain; null if the row has none.
-- prefix: Prefix of addresses on the other chain, such as osmo; null if the other side is no such address.
-- transfers: Transfers without refunds.
-- arrived: Base units that arrived.
-- departed: Base units that left.
-- refunded: Base units that came back because their transfer failed or timed out.
select
  strftime(time at time zone 'UTC', '%Y-%m') as month,
  nullif(regexp_extract(coalesce(link, '') || ' ' || detail, '(channel|[0-9]{2}-wasm)-[0-9]+'), '') as channel,
  nullif(regexp_extract(coalesce(counterparty, ''), '^([a-z]+)1[02-9ac-hj-np-z]{38,}$', 1), '') as prefix,
  coalesce(received_denom, sent_denom) as denom,
  symbol,
  count(*) filter (category <> 'ibc_refund') as transfers,
  coalesce(sum(received_amount) filter (category = 'ibc_in'), 0)::decimal(38, 0) as arrived,
  coalesce(sum(sent_amount) filter (category = 'ibc_out'), 0)::decimal(38, 0) as departed,
  coalesce(sum(received_amount) filter (category = 'ibc_refund'), 0)::decimal(38, 0) as refunded
from priced_events
left join assets on assets.denom = coalesce(received_denom, sent_denom)
where category in ('ibc_in', 'ibc_out', 'ibc_refund')
group by all
