"""`cospot-nova bill`: what spots used in a month, what was evicted, which promises were broken."""
