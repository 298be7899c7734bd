-- Until the transaction ends nobody else has a test made for this endpoint.
select id from webhooks where id::text = $id and account_id = $account for update
