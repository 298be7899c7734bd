-- The transactions of a block are numbered from 0. Every row belongs to a transaction and has its memo. The fee and
-- payer of a transaction equal those of its first row of category fee (fee_failed if it failed). Compares hashes of
-- memos to save memory.
with sent as not materialized (
  select *, split_part(id, '-', 2)::integer as "index"
  from priced_events
  where not starts_with(tx_hash, 'block:')
),
fees as (
  select height, "index", fee_amount, hash(address, fee_denom, category = 'fee') as paid
  from sent
  where fee_amount is not null
  qualify row_number() over (partition by height, "index" order by position) = 1
),
charged as (
  select height, "index", fee_amount, hash(payer, fee_denom, code = 0) as paid from transactions where fee_amount is not null
)
select height, null as "index", 'is not consecutive' as fault
from transactions
group by height
having min("index") <> 0 or max("index") <> count(*) - 1
union all
select height, "index", 'is a duplicate' from transactions group by height, "index" having count(*) > 1
union all
select height, "index", 'has no block' from transactions anti join blocks using (height)
union all
select distinct height, "index", 'has rows but is missing'
from (select height, "index", hash(tx_hash, memo) as text from sent)
anti join (select height, "index", hash(hash, memo) as text from transactions) using (height, "index", text)
union all
select height, "index", 'has another fee'
from fees
full join charged using (height, "index")
where charged.fee_amount is distinct from fees.fee_amount or charged.paid is distinct from fees.paid
order by height, "index"
