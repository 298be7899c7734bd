-- Sets the limit of a key. If both $rate_limit and $tier are null, the key counts against its account's quota.
update api_keys set rate_limit = $rate_limit::integer, tier = $tier::text
where id = $id
returning id
