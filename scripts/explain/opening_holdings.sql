-- Holdings of one wallet in each denom before the index.
from opening_holdings where address = $address order by denom;
