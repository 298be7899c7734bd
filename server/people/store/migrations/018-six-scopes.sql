-- A key that could change saved entries has `tax:read`, which now includes this, or loses the use with the scope.
update api_keys set scopes = array_remove(scopes, 'tax:write') where 'tax:write' = any (scopes);
