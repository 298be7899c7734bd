-- name: find-restated
select restated from announcements for update

-- name: find
select versions, pending_upgrade from announcements for update

-- name: record-restated
update announcements set restated = $restated

-- name: record
update announcements set versions = $versions, pending_upgrade = $upgrade::jsonb
