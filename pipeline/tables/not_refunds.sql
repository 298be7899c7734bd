-- Governance payments to a wallet in excess of its deposits. They are cancellation charges (x/gov,
-- proposal_cancel_dest) or payments by a passed proposal. If some deposits are unknown, such payments look like refunds
-- and stay refunds.
create or replace table not_refunds as
with known as (
  select link, denom, sum(greatest(amount, 0)) as deposited, sum(greatest(-amount, 0)) as paid
  from proposal_deposits
  group by link, denom
),
returned as (
  select
    id, height, link, denom, amount,
    sum(greatest(amount, 0)) over (partition by link, denom, address) as deposited,
    sum(greatest(-amount, 0)) over (
      partition by link, denom, address order by height, split_part(id, '-', 3)::integer
    ) as paid
  from proposal_deposits
)
select returned.id, returned.height
from returned
join known using (link, denom)
where returned.amount < 0 and returned.paid > returned.deposited and (coalesce(returned.height > $opening, false) or known.paid <= known.deposited)
