-- A currency has at most one exchange rate on a day. Every rate is positive and has a source. The euro has none, because
-- rates are for one euro.
select currency, day::varchar as day, count(*) as rows, min(per_eur)::varchar as per_eur
from exchange_rates
group by currency, day
having count(*) > 1 or min(per_eur) <= 0 or bool_or(source = '') or currency = 'EUR'
order by currency, day
