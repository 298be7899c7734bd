-- Unsolicited receipts of all months.
create or replace view receipts as from closed_receipts union all by name from month_receipts
