-- Returns the value of base units at a price for one displayed unit, in US dollars, rounded half up to the cent.
create or replace macro value_usd(amount, decimals, price) as (
  (2 * amount::hugeint * (price * 1000000)::hugeint + (10::double ** (decimals + 4))::hugeint)
  // (2 * (10::double ** (decimals + 4))::hugeint)
)::decimal(36, 0) * 0.01;
