-- A null account: the operator, who may revoke anyone's. Revoking twice keeps the first time.
update api_keys set revoked_at = coalesce(revoked_at, $now)
where id = $id and ($account::uuid is null or account_id = $account)
returning id
