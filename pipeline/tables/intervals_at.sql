from folded_delegation_spans
where from_height <= $height and (to_height is null or to_height > $height)
order by delegator
