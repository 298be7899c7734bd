from folded_validator_days where close_height = $height
