-- Counts wallets. Omits consensus addresses of proposers, which receive only tips from fee collectors.
select count(distinct address)::integer as wallets
from chain_events
where address not in (
  select address from chain_events where category = 'transfer_in' and list_contains($fee_collectors, counterparty)
)
