-- An entry without content says nothing: the report saves one of each wallet that it was asked for.
select address, decision.saved_at as decisions_saved_at, lots.saved_at as opening_lots_saved_at
from (
  select address, saved_at from saved_decisions where account_id = $account and decisions::text <> '{}'
) decision
full join (
  select address, saved_at from saved_opening_lots where account_id = $account and opening_lots::text <> '[]'
) lots using (address)
order by greatest(decision.saved_at, lots.saved_at) desc, address
