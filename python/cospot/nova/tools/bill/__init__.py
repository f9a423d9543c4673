"""`cospot-nova bill`: the use of spots in a month, their evictions and broken promises."""
