-- Every validator in a row or a delegation is listed once in validators.
select validator, 'not listed' as fault
from (
  select name as validator from row_names where list = 'validators'
  union
  select validator from validator_days
)
anti join validators using (validator)
union all
select validator, 'listed twice' from validators group by validator having count(*) > 1
order by validator
