select address, min(height) as first_height
from coin_movements
where address in (select unnest($addresses))
group by address
order by address
