select number, name, sha256 from schema_migrations order by number
