-- Returns a decimal × 10^18. Whole and broken part are converted apart, because the product may exceed 38 digits.
create or replace macro units(value) as
  floor(value)::hugeint * 1000000000000000000 + ((value - floor(value)) * 1000000000000000000)::hugeint
