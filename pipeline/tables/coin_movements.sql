-- Movements of the index: those of the bank's events, and reviewed changes of balances that no event tells.
create or replace view coin_movements as
from classified_movements
union all by name
select address, denom, height, -1 as place, 'correction:' || height as tx_hash, amount
from balance_corrections
where height >= (select first from index_span)
