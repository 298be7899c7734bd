-- Revokes a key. $account is null if the operator of the service revokes it. A second call does not change revoked_at.
update api_keys set revoked_at = coalesce(revoked_at, $now)
where id = $id and ($account::uuid is null or account_id = $account)
returning id
