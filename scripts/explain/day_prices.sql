select * from prices where found and list_contains($denoms, denom) and day = cast($day as date) order by denom;
