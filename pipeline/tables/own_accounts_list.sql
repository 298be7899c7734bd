select to_json(list(address order by address))::varchar as list from own_accounts
