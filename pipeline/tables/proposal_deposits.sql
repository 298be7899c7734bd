-- Deposits for proposals, and refunds as negative amounts. Includes those from before the index. A starting state
-- within the index may contain deposits that already have rows. Such a deposit counts only once.
create or replace table proposal_deposits as
select id, address, height, denom, link, amount from deposits where category = 'gov_deposit'
union all
select id, address, height, sent_denom, link, sent_amount from earlier_chain_events where category = 'gov_deposit'
union all
select null, address, null, denom, link, sum(amount)::decimal(38, 0)
from (
  select address, denom, 'proposal-' || proposal as link, amount from opening_deposits
  union all
  select address, denom, link, -amount
  from deposits
  where category = 'gov_deposit'
    and height <= (select opening from index_span)
    and link in (select 'proposal-' || proposal from opening_deposits)
)
group by address, denom, link
having sum(amount) > 0
union all
select id, address, height, denom, link, -amount from deposits where category = 'gov_refund'
union all
select id, address, height, received_denom, link, -received_amount from earlier_chain_events where category = 'gov_refund'
