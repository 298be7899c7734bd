-- Charges for cancelling proposals that an account got (x/gov, proposal_cancel_dest). They look like refunds: the deposits less a share
-- come back to those who made them, and then the account gets that share of all of them. Whoever got more than it had deposited got the
-- charge last. Where not all deposits are known, nothing tells refund and charge apart.
create or replace table cancel_charges as
with known as (
  select link, denom, sum(greatest(amount, 0)) as deposited, sum(greatest(-amount, 0)) as paid
  from proposal_deposits
  group by link, denom
),
own as (
  select
    id, link, denom, amount,
    sum(greatest(amount, 0)) over (partition by link, denom, address) as deposited,
    sum(greatest(-amount, 0)) over (
      partition by link, denom, address order by height, split_part(id, '-', 3)::integer
    ) as paid
  from proposal_deposits
)
select own.id
from own
join known using (link, denom)
where own.amount < 0 and own.paid > own.deposited and known.paid <= known.deposited
