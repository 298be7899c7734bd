-- Number of wallets that have rows. A proposer is paid tips at its consensus address, which nobody holds as a wallet: the fee collectors pay
-- no other account.
select count(distinct address)::integer as wallets
from chain_events
where address not in (
  select address from chain_events where category = 'transfer_in' and list_contains($fee_collectors, counterparty)
)
