select disclosure from submissions
where status = 'accepted' and disclosure is not null
order by reviewed_at, id
