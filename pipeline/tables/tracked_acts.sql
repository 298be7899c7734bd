-- Selects the wallets' rows that change delegations or unbonding coins, in chain order. Includes rows from before the
-- index. The detail of a redelegation is `From <source validator>`, and the detail of a cancelled unbonding is
-- `Begun at height <height>`. If rounding changed an undelegated amount, `unbonded` is the amount of the unbonding.
select
  address, height, category, validator, if(category = 'redelegate', substr(detail, 6), null) as source,
  if(category = 'cancel_unbonding', try_cast(regexp_extract(detail, 'Begun at height (\d+)', 1) as integer), null) as begun,
  coalesce(if(category = 'redeem_shares', received_amount, sent_amount), received_amount)::varchar as amount,
  if(category = 'undelegate', nullif(regexp_extract(detail, '(\d+)\w+ after rounding', 1), ''), null) as unbonded
from (from classified_events union all by name from earlier_chain_events)
where address in (from tracked_wallets)
  and validator is not null
  and (
    category in ('delegate', 'undelegate', 'unbonding_complete', 'redelegate', 'cancel_unbonding')
    or category = 'redeem_shares' and received_denom = $native
    or category = 'tokenize_shares' and sent_denom = $native
  )
order by address, height, position
