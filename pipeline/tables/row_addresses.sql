-- The address of each line that event_lines.sql writes.
from (select address from opening_holdings union all select address from priced_events)
