select min(height) as first from blocks
