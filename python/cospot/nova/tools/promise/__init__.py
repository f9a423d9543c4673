"""`cospot-nova promise` and `quote`: how long spots live, from this cloud's history."""
