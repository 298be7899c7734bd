-- Deletes a batch of accounts that own nothing and were last used before $unusedSince.
delete from accounts where id in (
  select id from accounts account
  where last_used_at < $unusedSince
    and not exists (select from sessions where account_id = account.id)
    and not exists (select from sign_in_links where account_id = account.id)
    and not exists (select from webhooks where account_id = account.id)
    and not exists (select from submissions where account_id = account.id)
    and not exists (select from saved_decisions where account_id = account.id)
    and not exists (select from saved_opening_lots where account_id = account.id)
    and not exists (
      select from api_keys
      where account_id = account.id and coalesce(revoked_at, expires_at, 'infinity') >= $unusedSince
        and coalesce(expires_at, 'infinity') >= $unusedSince
    )
  limit 1000 for update skip locked
)
