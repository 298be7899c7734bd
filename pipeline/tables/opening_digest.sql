-- Identifies the rows of native_holdings that opening holdings are made of, in any order.
select count(*) as rows, coalesce(bit_xor(md5_number(concat_ws(' ', address, liquid, staked, unbonding))), 0)::varchar as digest
from native_holdings
where moment = 'opening'
