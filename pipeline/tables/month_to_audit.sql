create or replace table prices as from all_prices where strftime(day, '%Y-%m') = $month;
create or replace table flagged_receipts as from all_flagged_receipts where height between $first and $last
