-- Orders rows as the replay does.
select * from priced_events where address = $address order by height, position;
