create or replace view coin_movements as
from classified_movements
where denom not in (select denom from oversized_denoms)
union all by name
select address, denom, height, -1 as place, 'correction:' || height as tx_hash, amount
from balance_corrections
where height >= (select first from index_span)
