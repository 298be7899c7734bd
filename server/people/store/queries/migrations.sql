-- name: applied
select number, name, sha256 from schema_migrations order by number

-- name: lock
-- Takes the lock for migrations until the transaction ends. The lock's number is 'hub' in ASCII.
select pg_advisory_xact_lock(6845794)

-- name: prepare
create table if not exists schema_migrations (
  number integer primary key,
  name text not null,
  sha256 text not null,
  applied_at timestamptz not null default now()
)

-- name: record
insert into schema_migrations (number, name, sha256) values ($number, $name, $sha256)
