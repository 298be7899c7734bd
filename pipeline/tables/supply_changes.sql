create or replace view supply_changes as
from classified_supply_changes
where denom not in (select denom from oversized_denoms)
