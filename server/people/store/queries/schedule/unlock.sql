select pg_advisory_unlock(hashtextextended('hubledger schedule ' || $job::text, 0))
