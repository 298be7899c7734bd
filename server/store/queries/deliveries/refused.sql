-- The wait counts from the end of the attempt; there is none after the last.
update webhook_deliveries
set
  response_status = $status::integer,
  error = $error,
  next_attempt_at = $now::timestamptz + ($waits::integer[])[attempts] * interval '1 second'
where id = $id
