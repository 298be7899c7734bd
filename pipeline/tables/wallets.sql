-- Leaves out consensus addresses of proposers, to which fee collectors pay tips.
select count(distinct address)::integer as wallets
from chain_events
where address not in (
  select address from chain_events where category = 'transfer_in' and list_contains($fee_collectors, counterparty)
)
