-- The entry of the jurisdiction registry that the operator took from an accepted submission.
alter table submissions add column disclosure jsonb;
