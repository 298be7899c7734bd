select versions, pending_upgrade from announcements for update
