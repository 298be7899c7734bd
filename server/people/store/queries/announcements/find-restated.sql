select restated from announcements for update
