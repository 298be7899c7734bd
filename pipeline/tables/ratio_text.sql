-- Returns ratios as text '1.5uatom,…'. A ratio that is too large for the column becomes 10^20, which no stored ratio
-- reaches.
create or replace macro ratio_text(coins) as array_to_string(
  list_transform(
    coins,
    lambda coin: coalesce(coin.ratio::varchar, '100000000000000000000.000000000000000000') || coin.denom
  ),
  ','
)
