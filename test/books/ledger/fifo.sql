-- A second first-in-first-out, in window functions instead of a queue. Lots and disposals of one asset become intervals of
-- units on one line per wallet: lots in the order of consumption, disposals in the order of time; where they overlap is a
-- slice. Holds where the order of consumption is also the order of arrival, or where all lots came before all disposals.
--
-- lots(wallet, arrival, acquired, units, price, cost, kind)   kind 0 income at market value by a running total (unknown without a
--                                                             price), 1 stated cost (cents), 2 basis unknown;
--                                                             what was held before the index arrived before 0
-- disposals(wallet, n, arrived, units, price)                 arrived = lots that were there; price in micro-USD or null
-- found(wallet, n, acquired, units, basis, proceeds)          what the replay says, acquired null where no lot was left
-- Rows of the answer: what only one of the two says.
with
earned as (
  select *,
    sum(if(kind = 0, units::hugeint * coalesce(price, 0), 0)) over (partition by wallet order by arrival) as total
  from lots
),
ordered as (
  select *,
    case
      when kind = 0 and price is not null
      then (2 * total + 10000000000) // 20000000000
        - (2 * (total - units::hugeint * price) + 10000000000) // 20000000000
      when kind = 1 then cost
    end as basis,
    sum(units) over consumption as upper
  from earned
  window consumption as (partition by wallet order by acquired, arrival)
),
supplied as (
  select d.*,
    coalesce((select sum(units) from lots l where l.wallet = d.wallet and l.arrival < d.arrived), 0) as supply,
    sum(units) over (partition by wallet order by n) as demand
  from disposals d
),
-- What was consumed until a disposal is what was asked for, but for the largest lack so far.
consumed as (
  select *, demand + least(0, min(supply - demand) over (partition by wallet order by n)) as upper from supplied
),
disposed as (
  select wallet, n, units, (2 * units::hugeint * price + 10000000000) // 20000000000 as worth,
    coalesce(lag(upper) over (partition by wallet order by n), 0) as lower, upper
  from consumed
),
pieces as (
  select d.wallet, d.n, l.acquired, l.basis, l.units as lot_units, d.units as disposal_units, d.worth,
    greatest(d.lower, l.upper - l.units) - (l.upper - l.units) as lot_from,
    least(d.upper, l.upper) - (l.upper - l.units) as lot_to,
    greatest(d.lower, l.upper - l.units) - d.lower as sold_from,
    least(d.upper, l.upper) - d.lower as sold_to
  from disposed d join ordered l on l.wallet = d.wallet and l.upper > d.lower and l.upper - l.units < d.upper
),
slices as (
  select wallet, n, acquired, lot_to - lot_from as units,
    (2 * basis * lot_to + lot_units) // (2 * lot_units) - (2 * basis * lot_from + lot_units) // (2 * lot_units) as basis,
    (2 * worth * sold_to + disposal_units) // (2 * disposal_units)
      - (2 * worth * sold_from + disposal_units) // (2 * disposal_units) as proceeds
  from pieces
  union all
  select wallet, n, null, units - (upper - lower), null,
    worth - (2 * worth * (upper - lower) + units) // (2 * units)
  from disposed where upper - lower < units
),
expected as (
  select wallet, n, acquired, units::bigint as units, basis::bigint as basis, proceeds::bigint as proceeds from slices
)
select 'sql' as says, * from (from expected except all from found)
union all
select 'replay' as says, * from (from found except all from expected)
order by 2, 3, 1
