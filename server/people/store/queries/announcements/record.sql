update announcements set versions = $versions, pending_upgrade = $upgrade::jsonb
