-- Held until the transaction ends. The number is this program's own: 'hub' in ASCII.
select pg_advisory_xact_lock(6845794)
