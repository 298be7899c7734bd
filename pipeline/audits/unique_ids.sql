-- Every row of priced_events has a unique id.
select id, count(*) as rows
from priced_events
group by id
having count(*) > 1
order by id
