-- In the order in which rows are replayed.
select * from priced_events where address = $address order by height, position;
