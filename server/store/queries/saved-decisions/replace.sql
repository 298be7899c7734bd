insert into saved_decisions (account_id, address, decisions, saved_at)
values ($account, $address, $decisions, $now)
on conflict (account_id, address) do update set decisions = excluded.decisions, saved_at = excluded.saved_at
returning address, decisions, saved_at
