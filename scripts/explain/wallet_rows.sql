-- The rows of one wallet in the order in which they are replayed.
select * from priced_events where address = $address order by height, position;
