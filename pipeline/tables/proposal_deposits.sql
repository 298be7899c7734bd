-- Coins that were deposited into proposals and that came back, as far as it is known: also before the index. A `gov_refund` counts less.
create or replace table proposal_deposits as
select id, address, height, sent_denom as denom, link, sent_amount as amount
from classified_events
where category = 'gov_deposit'
union all
select id, address, height, sent_denom, link, sent_amount from earlier_chain_events where category = 'gov_deposit'
union all
select null, address, null, denom, 'proposal-' || proposal, amount from opening_deposits
union all
select id, address, height, received_denom, link, -received_amount from classified_events where category = 'gov_refund'
union all
select id, address, height, received_denom, link, -received_amount from earlier_chain_events where category = 'gov_refund'
