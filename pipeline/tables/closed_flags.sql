-- Adds the flagged receipts of closed months to those of the open month.
insert into flagged_receipts by name from closed_flags
