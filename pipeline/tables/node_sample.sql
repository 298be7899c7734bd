-- Selects addresses in an order that the seed determines, delegators first. The same seed gives the same sample.
select address
from native_holdings
where moment = 'closing' and address not in (from module_accounts)
order by staked > 0 desc, md5(address || $seed)
limit $count
