"""`cospot-nova promise` and `quote`: how long spots live, from what this cloud did."""
