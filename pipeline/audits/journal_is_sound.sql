-- Every journal entry debits one account and credits another account, and its amount is not negative. Each entry
-- belongs to an event. The entries of an event are numbered without gaps.
select event_id || '-' || leg as entry_id, fault from (
  select event_id, leg, 'one account on both sides' as fault from ledger_entries where debit_account = credit_account
  union all
  select event_id, leg, 'negative amount' from ledger_entries where amount_usd < 0 or quantity < 0 or credit_quantity < 0
  union all
  select event_id, min(leg), 'legs are not consecutive' from ledger_entries group by event_id
  having count(distinct leg) <> count(*) or max(leg) - min(leg) <> count(*) - 1
  union all
  select event_id, leg, 'does not match its event' from ledger_entries as entry
  anti join priced_events as event
    on event.id = entry.event_id and event.address = entry.address and event.height = entry.height
    and event.position = entry.position and event.category = entry.category
)
order by entry_id
