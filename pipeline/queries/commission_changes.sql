-- Changes of validators' commission rates, by the UTC day at whose end the new rate holds.
-- rate_before: Last known rate of an earlier day.
select validator, moniker, day, rate_before, commission_rate
from (
  select *, lag(commission_rate) over (partition by validator order by day) as rate_before
  from validator_days
  where commission_rate is not null
)
join validators using (validator)
where commission_rate <> rate_before
