-- Rounded down to the hour.
alter table widget_keys add column last_used_at timestamptz;
create index widget_keys_of_validator on widget_keys (validator, created_at);
