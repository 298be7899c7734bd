insert into schema_migrations (number, name, sha256) values ($number, $name, $sha256)
