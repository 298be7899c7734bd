-- Validators at the close of the day that a block ended, or in the starting state of that height.
from folded_validator_days where close_height = $height
