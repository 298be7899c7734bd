select disclosure from disclosures
order by accepted_at, submission_id
