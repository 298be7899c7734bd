-- Lists the changes, one line each: first quoted prices and exchange rates, then rows, holdings, and accounts of wallets without changed
-- rows, and finally the sum. A changed gain is assigned to the price of the disposal's day. The part that follows from
-- the basis of lots is assigned to the days on which they were acquired. The gain of a refund is assigned to the prices
-- of the payment that it reverses. So the gains of all prices add up to the sum.
with quoted as (
  select *, count(*) over () as days from restated_prices where not derived
), slices as (
  select side, address, event_id, leg, denom, unnest(slices) as slice, generate_subscripts(slices, 1) as place
  from restated_entries
  where act = 'dispose'
), parts as (
  select
    address, event_id, denom, slice.acquired as acquired,
    max(slice.basis_usd) filter (side = 'before') as basis_before,
    max(slice.basis_usd) filter (side = 'after') as basis_after,
    max(slice.proceeds_usd) filter (side = 'before') as proceeds_before,
    max(slice.proceeds_usd) filter (side = 'after') as proceeds_after
  from slices
  group by address, event_id, leg, denom, place, slice.acquired, slice.quantity
), by_basis as (
  select
    address, event_id, denom, acquired as day,
    coalesce(proceeds_after - basis_after, 0) - coalesce(proceeds_before - basis_before, 0)
    - if(basis_before is null or basis_after is null, 0, proceeds_after - proceeds_before) as gain
  from parts
  where acquired is not null and proceeds_before is not null and proceeds_after is not null
), changes as (
  select
    address, event_id, denom, time::date as day, any_value(reverses) as reverses,
    sum(if(side = 'after', amount_usd, -amount_usd) * if(credit_account = 'Realized Gain/Loss', 1, -1)) as gain
  from restated_entries
  where 'Realized Gain/Loss' in (debit_account, credit_account)
  group by address, event_id, denom, day
), swaps as (
  -- A swap's proceeds are the value of the received coins.
  select id as event_id, quoted.denom
  from restated_rows
  join quoted on denom = received_denom and day = time::date
  where side = 'after' and category = 'swap'
), by_event as (
  from by_basis
  union all by name
  select
    changes.address, changes.event_id, coalesce(swaps.denom, changes.denom) as denom, day,
    gain - coalesce((select sum(gain) from by_basis where by_basis.event_id = changes.event_id), 0) as gain
  from changes
  left join swaps using (event_id)
  where reverses is null
), effects as (
  select address, denom, day, gain from by_event
  union all
  select changes.address, paid.denom, paid.day, -paid.gain
  from changes
  join by_event as paid on paid.event_id = changes.reverses
  union all
  select address, denom, slice.acquired, 0 from (select *, unnest(slices) as slice from restated_entries)
  union all
  select address, unnest([sent_denom, received_denom, fee_denom]), time::date, 0 from restated_rows
), priced as (
  -- The price of a share is computed from the price of the native coin.
  select
    address, gain, day,
    coalesce(quoted_coin.denom, (select min(denom) from quoted where quoted.day = effects.day)) as denom
  from effects
  left join quoted as quoted_coin using (denom, day)
  where effects.denom is not null
), by_price as (
  select denom, day, count(distinct address) as wallets, sum(gain) as gains from priced group by denom, day
), gains as (
  select sum(gain) as total from changes
)
select
  0 as rank, concat(denom, ' ', day) as name, '' as figure, usd_before::varchar as figure_before,
  usd_after::varchar as figure_after, cause,
  if(days = 1, (select count(distinct address) from restatements), coalesce(wallets, 0)) as wallets,
  coalesce(if(days = 1, gains.total, by_price.gains), 0)::varchar as gains
from quoted
left join by_price using (denom, day)
cross join gains
union all
select
  0, concat('rate ', currency, ' ', day), '', rate_before::varchar, rate_after::varchar, cause, null, null
from restated_rates
where cause <> 'new_rate'
union all
select
  0, concat('rates ', strftime(day, '%Y-%m')), '', null, concat(count(*), ' rates'), 'new_rate', null, null
from restated_rates
where cause = 'new_rate'
group by strftime(day, '%Y-%m')
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
