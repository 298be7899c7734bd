-- Computes the coins of shares in the same way as the chain: shares × tokens / all shares, rounded to 18 decimals, then
-- truncated. The product is too large for all DuckDB types. So doubles give an estimate that is wrong by at most one
-- unit, and the exact remainder corrects it. Valid up to 9 × 10^14 base units in a delegation, and ten times as many in
-- a validator.
create or replace macro whole_part(shares) as shares::double::bigint;
create or replace macro broken_part(shares) as shares - whole_part(shares);
create or replace macro nearly(shares, tokens, all_shares) as
  floor(shares::double * tokens::double / all_shares::double)::bigint;
create or replace macro left_over(shares, tokens, all_shares, coins) as
  (whole_part(shares)::hugeint * tokens::bigint - coins::hugeint * whole_part(all_shares))::decimal(38, 18)
  + (broken_part(shares) * tokens::bigint - broken_part(all_shares) * coins);
create or replace macro mended(coins, remainder, all_shares, tiny) as
  case
    when remainder + remainder + tiny >= all_shares + all_shares then coins + 1
    when remainder + remainder + tiny >= 0 then coins
    else coins - 1
  end;
create or replace macro staked_coins(shares, tokens, all_shares) as
  mended(
    nearly(shares, tokens, all_shares),
    left_over(shares, tokens, all_shares, nearly(shares, tokens, all_shares)),
    all_shares,
    (whole_part(all_shares) - (all_shares < whole_part(all_shares))::integer) * 0.000000000000000001
  )::decimal(38, 0);
