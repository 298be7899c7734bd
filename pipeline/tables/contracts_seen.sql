-- Known contracts and the first block of the index in which coins of theirs moved.
select address, min(height) as first_height
from coin_movements
where address in (select unnest($addresses))
group by address
order by address
