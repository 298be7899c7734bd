-- Every row of chain_events has an id of its own.
select id, count(*) as rows
from chain_events
group by id
having count(*) > 1
order by id
