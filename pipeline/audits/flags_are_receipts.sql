-- Every flagged receipt occurs only once, and is an unsolicited receipt in priced_events.
(
  select 'no such receipt' as fault, record_id from (
    select record_id, address, height, position, time, tx_hash, denom, quantity, sender, memo from flagged_receipts
    except
    select id, address, height, position, time, tx_hash, received_denom, received_amount, counterparty, memo
    from priced_events
    where unsolicited
  )
  union all
  select 'duplicate' as fault, record_id from flagged_receipts group by record_id having count(*) > 1
)
order by record_id
