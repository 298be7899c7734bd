-- Finds the first stored block of a UTC day or a later day. The block before it must also be stored and belong to an
-- earlier day.
select min(later.height) as first
from stored_blocks as later
join stored_blocks as earlier on earlier.height = later.height - 1
where later.time >= $day::timestamp and earlier.time < $day::timestamp
having min(later.height) is not null
