-- One wallet's rows, as a reader of the published Parquet asks for them.
from priced_events where address = $address order by height, position
