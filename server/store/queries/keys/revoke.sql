-- A null account is the operator, who may revoke any key. A second call keeps the first time.
update api_keys set revoked_at = coalesce(revoked_at, $now)
where id = $id and ($account::uuid is null or account_id = $account)
returning id
