-- Names what changed, one line each: quoted prices first, then rows, holdings, and accounts of wallets without changed rows, at last the sum.
-- A price's wallets are those with a row or a lot of its day. Its sum of gains is the change of proceeds on its day and of the basis of lots
-- acquired on that day.
with lots as (
  select side, address, time::date as day, unnest(slices) as slice, act
  from restated_entries
  where slices is not null
), known as (
  select if(side = 'after', 1, -1) as sign, address, day, slice.acquired, slice.basis_usd as basis, slice.proceeds_usd as proceeds
  from lots
  where act = 'dispose' and slice.basis_usd is not null and slice.proceeds_usd is not null
), effects as (
  select address, day, sign * proceeds as gain from known
  union all
  select address, acquired, -sign * basis from known
  union all
  select address, day, 0 from lots
  union all
  select address, slice.acquired, 0 from lots
  union all
  select address, time::date, 0 from restated_rows
), by_day as (
  select day, count(distinct address) as wallets, sum(gain) as gains from effects group by day
), gains as (
  select sum(
    if(side = 'after', amount_usd, -amount_usd)
    * ((credit_account = 'Realized Gain/Loss')::integer - (debit_account = 'Realized Gain/Loss')::integer)
  ) as total
  from restated_entries
), quoted as (
  select *, count(*) over () as days from restated_prices where not derived
)
select
  0 as rank, concat(denom, ' ', day) as name, '' as figure, usd_before::varchar as figure_before,
  usd_after::varchar as figure_after, cause,
  if(days = 1, (select count(distinct address) from restatements), coalesce(wallets, 0)) as wallets,
  coalesce(if(days = 1, gains.total, by_day.gains), 0)::varchar as gains
from quoted
left join by_day using (day)
cross join gains
union all
select
  1, concat_ws(' ', what, record, address), figure, figure_before, figure_after, cause, null, null
from restatements
where
  what in ('row', 'holding') and figure not in ('sent_price', 'received_price', 'fee_price')
  or what = 'account' and address not in (select address from restatements where what = 'row')
union all
select
  2, '', count(*)::varchar, null, null, string_agg(distinct cause, ' ' order by cause), count(distinct address),
  (select coalesce(total, 0)::varchar from gains)
from restatements
order by rank, name, figure
