select
  exists (select from saved_decisions where account_id = $account)
  or exists (select from saved_opening_lots where account_id = $account) as any
