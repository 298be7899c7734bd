select * from prices where list_contains($denoms, denom) and day = cast($day as date) order by denom;
