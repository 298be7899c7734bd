-- Compares amounts of closed months. Views with the ending _before read the current generation, and views with _after
-- read the new one. Reads only months whose files differ. If only one generation has an amount, it is null for the
-- other. The table restatements gets one row for each amount that differs. In datasets of single wallets, compares only
-- wallets and prices that both generations have. Does not compare positions, because they are numbered over the rows of
-- all wallets. Of open months, compares only entries of events that use lots of closed months whose cost has changed,
-- and the totals of these wallets and months.
create or replace table restated_prices as
with both_sides as (
  select 'before' as side, denom, day, usd, sources from prices_before
  union all
  select 'after', denom, day, usd, sources from prices_after
)
select
  denom, day, max(usd) filter (side = 'before') as usd_before, max(usd) filter (side = 'after') as usd_after,
  coalesce(bool_and(sources = $derivation) filter (usd is not null), false) as derived,
  case
    when usd_before is null then 'new_price'
    when $methodology then 'methodology'
    when derived and $facts is not null then $facts
    when $has_loss then 'loss'
    else 'quote'
  end as cause
from both_sides
where day < $closed::date and ($tracked or usd is not null)
group by denom, day
having usd_before is distinct from usd_after and (not $tracked or count(*) = 2);

create or replace table restated_rates as
with both_sides as (
  select 'before' as side, day, currency, per_eur from exchange_rates_before
  union all
  select 'after', day, currency, per_eur from exchange_rates_after
)
select
  day, currency, max(per_eur) filter (side = 'before') as rate_before,
  max(per_eur) filter (side = 'after') as rate_after,
  case
    when rate_before is null then 'new_rate'
    when rate_after is null and $has_loss then 'loss'
    else 'rate'
  end as cause
from both_sides
where day >= $rates_from::date and day < $closed::date
group by day, currency
having rate_before is distinct from rate_after;

create or replace table restated_rows as
with both_sides as (
  select 'before' as side, * from priced_events_before
  union all
  select 'after', * from priced_events_after
)
select min(side) as side, * exclude side replace (if($tracked, 0, position) as position)
from both_sides
where height between $first and $last and time < $closed::timestamptz and (not $tracked or list_contains($wallets, address))
group by all
having count(*) = 1;

create or replace table restated_entries as
with both_sides as (
  select 'before' as side, * from ledger_entries_before
  union all
  select 'after', * from ledger_entries_after
), changed as (
  select
    min(side) as side, * exclude side replace (if($tracked, 0, position) as position),
    [
      {'acquired': slice.acquired, 'quantity': slice.quantity, 'basis_usd': slice.basis_usd}
      for slice in slices if slice.acquired < $closed::date
    ] as lots_of_closed_months
  from both_sides
  where height between $first and $last and (not $tracked or list_contains($wallets, address))
  group by all
  having count(*) = 1
), of_other_cost as (
  select address, event_id
  from changed
  group by address, event_id, leg
  having count(*) = 2 and count(distinct lots_of_closed_months) = 2
)
select changed.* exclude lots_of_closed_months
from changed
where
  time < $closed::timestamptz
  or (address, event_id) in (select (address, event_id) from of_other_cost)
  or (address, reverses) in (select (address, event_id) from of_other_cost);

create or replace table open_months as
select address, strftime(time, '%Y-%m') as month from restated_entries where time >= $closed::timestamptz group by all;

create or replace table restated_payouts as
with both_sides as (
  select 'before' as side, * from validator_payouts_before
  union all
  select 'after', * from validator_payouts_after
), kept as (
  select side, * exclude (side, last_height)
  from both_sides
  where day < $closed::date and (not $tracked or list_contains($wallets, address))
  -- Leaves out payouts with blocks that only one generation has, because such blocks may add to a day's payout.
  qualify max(last_height) over (partition by validator, day, category, address, denom) between $first and $last
)
select min(side) as side, * exclude side from kept group by all having count(*) = 1;

create or replace table restated_holdings as
with both_sides as (
  select 'before' as side, * from daily_holdings_before
  union all
  select 'after', * from daily_holdings_after
)
select min(side) as side, * exclude (side, close_height)
from both_sides
where close_height between $first and least($last, $holdings_until) and day < $closed::date and not $tracked
group by all
having count(*) = 1;

-- The cause of a wallet's changed amounts is the cause of its changed rows. If there are several causes, a cause that
-- needs the operator's permission comes first.
create or replace table causes_of_rows as
with figures as (
  unpivot (select side, address, id, columns(* exclude (side, address, id))::varchar from restated_rows)
  on columns(* exclude (side, address, id)) into name figure value value
), changed as (
  select address, id, figure
  from figures
  group by all
  having count(*) = 1 or min(value) <> max(value)
), priced as (
  select distinct address, id, time::date as day, unnest([
    {'figure': 'sent_price', 'denom': sent_denom},
    {'figure': 'received_price', 'denom': received_denom},
    {'figure': 'fee_price', 'denom': fee_denom}
  ]) as price
  from restated_rows
)
select
  changed.address, changed.id,
  arg_min(found.cause, coalesce(list_position(['unexplained', 'quote', 'loss'], found.cause), 9)) as cause
from changed
left join priced
  on priced.address = changed.address and priced.id = changed.id and priced.price.figure = changed.figure
left join restated_prices as of_day on of_day.denom = priced.price.denom and of_day.day = priced.day
cross join lateral (select coalesce(of_day.cause, $facts, if($has_loss, 'loss', 'unexplained')) as cause) as found
group by changed.address, changed.id;

create or replace table causes_of_wallets as
select address, arg_min(cause, coalesce(list_position(['unexplained', 'quote', 'loss'], cause), 9)) as cause
from causes_of_rows
group by address;

create or replace table restated_figures as
with
row_figures as (
  unpivot (
    select
      side, address, strftime(time, '%Y-%m') as month, id as record,
      columns(* exclude (side, address, id, height, tx_hash))::varchar
    from restated_rows
  ) on columns(* exclude (side, address, month, record)) into name figure value value
),
entry_figures as (
  unpivot (
    select
      side, address, strftime(time, '%Y-%m') as month, event_id || '-' || leg as record,
      columns(* exclude (side, address, height, position, leg, event_id, slices))::varchar
    from restated_entries
  ) on columns(* exclude (side, address, month, record)) into name figure value value
),
lots as (
  select
    side, address, strftime(time, '%Y-%m') as month, slice.quantity, slice.basis_usd, slice.proceeds_usd,
    event_id || '-' || leg || ' ' || coalesce(slice.acquired::varchar, slice.held) as record
  from (select *, unnest(slices) as slice from restated_entries)
),
lot_figures as (
  unpivot (
    select
      side, address, month, record, sum(quantity)::varchar as quantity, sum(basis_usd)::varchar as basis_usd,
      sum(proceeds_usd)::varchar as proceeds_usd
    from lots
    group by side, address, month, record
  ) on quantity, basis_usd, proceeds_usd into name figure value value
),
payout_figures as (
  unpivot (
    select
      side, address, strftime(day, '%Y-%m') as month,
      concat_ws(' ', validator, day, category, denom) as record,
      amount::varchar as amount, usd::varchar as usd, payouts::varchar as payouts
    from restated_payouts
  ) on amount, usd, payouts into name figure value value
),
holding_figures as (
  unpivot (
    select
      side, address, strftime(day, '%Y-%m') as month, day::varchar as record, liquid::varchar as liquid, staked::varchar as staked,
      unbonding::varchar as unbonding
    from restated_holdings
  ) on liquid, staked, unbonding into name figure value value
),
-- Totals of closed months that are complete in the current generation, and of open months up to its last block.
lines as (
  select 'before' as side, address, height, time, debit_account, credit_account, amount_usd from all_entries_before
  union all
  select 'after', address, height, time, debit_account, credit_account, amount_usd from all_entries_after
),
lines_in_time as (
  select lines.*, strftime(time, '%Y-%m') as month
  from lines
  where
    address in (select address from restated_entries)
    and time < least($closed::timestamptz, date_trunc('month', $end::timestamptz))
    or address in (select address from open_months) and height <= $last
),
sides_of_lines as (
  select side, address, month, debit_account as account, amount_usd as debit, 0 as credit from lines_in_time
  union all
  select side, address, month, credit_account, 0, amount_usd from lines_in_time
),
all_totals as (
  select side, address, account, month, sum(debit) as debit, sum(credit) as credit
  from sides_of_lines
  group by all
),
totals as (
  select *
  from all_totals
  where month < strftime($closed::date, '%Y-%m') or (address, month) in (select (address, month) from open_months)
),
account_figures as (
  unpivot (select side, address, month, account as record, debit::varchar as debit_usd, credit::varchar as credit_usd from totals)
  on debit_usd, credit_usd into name figure value value
),
months as (
  select distinct wallets.address, totals.month
  from totals
  join (select distinct address from totals) as wallets
    on totals.month < strftime($closed::date, '%Y-%m') or wallets.address = totals.address
),
positions as (
  select side, address, months.month, account as record, sum(debit - credit)::varchar as value
  from all_totals
  join months using (address)
  where starts_with(account, 'Digital Assets: ') and months.month >= all_totals.month
  group by all
),
statements as (
  select
    side, validator, strftime(day, '%Y-%m') as month,
    sum(amount) filter (category = 'validator_commission' and denom = $native) as commission_amount,
    sum(usd) filter (category = 'validator_commission' and denom = $native) as commission_usd,
    sum(amount) filter (category = 'staking_reward') as delegator_rewards_amount,
    sum(usd) filter (category = 'staking_reward') as delegator_rewards_usd,
    sum(payouts) filter (category = 'staking_reward') as reward_events,
    count(distinct address) filter (category = 'staking_reward') as unique_delegators
  from (
    select 'before' as side, * from validator_payouts_before
    union all
    select 'after', * from validator_payouts_after
  )
  semi join restated_payouts using (validator)
  where day < least($closed::date, date_trunc('month', $end::date))
  group by all
),
statement_figures as (
  unpivot (select columns(*)::varchar from statements)
  on columns(* exclude (side, validator, month)) into name figure value value
),
figures as (
  select 'row' as what, side, address, month, record, figure, value from row_figures
  union all
  select 'entry', side, address, month, record, figure, value from entry_figures
  union all
  select 'lot', side, address, month, record, figure, value from lot_figures
  union all
  select 'payout', side, address, month, record, figure, value from payout_figures
  union all
  select 'holding', side, address, month, record, figure, value from holding_figures
  union all
  select 'account', side, address, month, record, figure, value from account_figures
  union all
  select 'position', side, address, month, record, 'cost_basis_usd', value from positions
  union all
  select 'statement', side, null, month, validator, figure, value from statement_figures where not $tracked
)
select
  what, address, month, record, figure,
  max(value) filter (side = 'before') as figure_before, max(value) filter (side = 'after') as figure_after
from figures
group by what, address, month, record, figure
having figure_before is distinct from figure_after;

create or replace table causes_of_payouts as
select
  address, concat_ws(' ', validator, restated_payouts.day, category, restated_payouts.denom) as record, validator,
  strftime(restated_payouts.day, '%Y-%m') as month,
  if(
    count(*) = 2 and min(amount) = max(amount) and min(payouts) = max(payouts), any_value(price.cause), null
  ) as cause
from restated_payouts
left join restated_prices as price on price.denom = restated_payouts.denom and price.day = restated_payouts.day
group by address, validator, restated_payouts.day, category, restated_payouts.denom;

create or replace table restatements as
with causes as (
  select 'row' as what, address, id as record, cause from causes_of_rows
  union all
  select 'payout', address, record, cause from causes_of_payouts
), explained as (
  select 'price' as what, null as address, strftime(day, '%Y-%m') as month, denom || ' ' || day as record, 'usd' as figure,
    usd_before::varchar as figure_before, usd_after::varchar as figure_after, cause
  from restated_prices
  -- Leaves out prices of share denoms that only one generation has, unless a changed row contains the denom. Later blocks
  -- may add such a denom, with prices of earlier days.
  where
    not derived
    or denom in (select denom from prices_before where usd is not null)
    and denom in (select denom from prices_after where usd is not null)
    or denom in (select unnest([sent_denom, received_denom, fee_denom]) from restated_rows)
  union all
  select
    'rate', null, strftime(day, '%Y-%m'), currency || ' ' || day, 'per_eur', rate_before::varchar, rate_after::varchar,
    cause
  from restated_rates
  union all
  select figures.*, case
    when figures.what in ('row', 'payout') then causes.cause
    when figures.what in ('entry', 'lot', 'account', 'position') then wallet.cause
    when figures.what = 'statement' then (
      select arg_min(
        coalesce(cause, $facts, if($has_loss, 'loss', 'unexplained')),
        coalesce(list_position(['unexplained', 'quote', 'loss'], cause), 9)
      )
      from causes_of_payouts as payout
      where payout.validator = figures.record and payout.month = figures.month
    )
  end
  from restated_figures as figures
  left join causes
    on causes.what = figures.what and causes.address = figures.address and causes.record = figures.record
  left join causes_of_wallets as wallet on wallet.address = figures.address
)
select
  address, month, what, record, figure, figure_before, figure_after,
  coalesce(cause, $facts, if($has_loss, 'loss', 'unexplained')) as cause,
  $generation as generation_before, '' as generation_after, $now::timestamptz as restated_at
from explained;
