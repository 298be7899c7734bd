update webhook_deliveries set response_status = $status::integer, error = $error where id = $id
