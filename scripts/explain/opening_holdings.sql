from opening_holdings where address = $address order by denom;
