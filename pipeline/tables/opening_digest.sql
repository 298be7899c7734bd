-- Computes a hash of the rows of native_holdings from which opening holdings are computed. Their order does not matter.
select count(*) as rows, coalesce(bit_xor(md5_number(concat_ws(' ', address, liquid, staked, unbonding))), 0)::varchar as digest
from native_holdings
where moment = 'opening'
