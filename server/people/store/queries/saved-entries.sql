-- name: any
select
  exists (select from saved_decisions where account_id = $account)
  or exists (select from saved_opening_lots where account_id = $account) as any

-- name: of-account
select address, decision.saved_at as decisions_saved_at, lots.saved_at as opening_lots_saved_at
from (select address, saved_at from saved_decisions where account_id = $account) decision
full join (select address, saved_at from saved_opening_lots where account_id = $account) lots using (address)
order by greatest(decision.saved_at, lots.saved_at) desc, address

-- name: remove-all
with decisions as (
  delete from saved_decisions where account_id = $account
)
delete from saved_opening_lots where account_id = $account
