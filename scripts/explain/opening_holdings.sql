-- What one wallet held of each denom before the index.
from opening_holdings where address = $address order by denom;
