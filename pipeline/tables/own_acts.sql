-- Selects the wallets' rows that change delegations or unbonding coins, in chain order. Includes rows from before the
-- index. The detail of a redelegation is `From <source validator>`.
select
  address, height, category, validator, if(category = 'redelegate', substr(detail, 6), null) as source,
  coalesce(if(category = 'redeem_shares', received_amount, sent_amount), received_amount)::varchar as amount
from (from classified_events union all by name from earlier_chain_events)
where address in (from own_wallets)
  and validator is not null
  and (
    category in ('delegate', 'undelegate', 'unbonding_complete', 'redelegate', 'cancel_unbonding')
    or category = 'redeem_shares' and received_denom = $native
    or category = 'tokenize_shares' and sent_denom = $native
  )
order by address, height, position
