with decisions as (
  delete from saved_decisions where account_id = $account
)
delete from saved_opening_lots where account_id = $account
