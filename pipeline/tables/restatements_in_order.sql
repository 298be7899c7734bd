-- Lists restatements by wallet, in the order of their publication.
from restatements
where address is not null
order by address, restated_at, month, what, record, figure
