-- Coins that governance paid an account and that give back no deposit, though each looks like one: more than the account had deposited.
-- The charge for cancelling a proposal (x/gov, proposal_cancel_dest) comes after the deposits less a share; what a passed proposal's
-- messages send comes after all of them. Where not all deposits are known, as before the starting state, nothing tells refund and charge apart.
create or replace table not_refunds as
with known as (
  select link, denom, sum(greatest(amount, 0)) as deposited, sum(greatest(-amount, 0)) as paid
  from proposal_deposits
  group by link, denom
),
own as (
  select
    id, height, link, denom, amount,
    sum(greatest(amount, 0)) over (partition by link, denom, address) as deposited,
    sum(greatest(-amount, 0)) over (
      partition by link, denom, address order by height, split_part(id, '-', 3)::integer
    ) as paid
  from proposal_deposits
)
select own.id
from own
join known using (link, denom)
where own.amount < 0 and own.paid > own.deposited and (coalesce(own.height > $opening, false) or known.paid <= known.deposited)
