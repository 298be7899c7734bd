-- Every row has at least one amount. Each amount is above zero and has a denom. Rows of fees contain only a fee.
select id, category, sent_amount::varchar as sent, received_amount::varchar as received, fee_amount::varchar as fee
from priced_events
where coalesce(sent_amount, received_amount, fee_amount) is null
  or sent_amount <= 0 or received_amount <= 0 or fee_amount <= 0
  or (sent_amount is null) <> (sent_denom is null)
  or (received_amount is null) <> (received_denom is null)
  or (fee_amount is null) <> (fee_denom is null)
  or (category in ('fee', 'fee_failed')) <> (fee_amount is not null)
  or (fee_amount is not null and (sent_amount is not null or received_amount is not null))
order by id
