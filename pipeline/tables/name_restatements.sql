update restatements set generation_after = $generation
