update announcements set restated = $restated
