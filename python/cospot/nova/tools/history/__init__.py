"""`cospot-nova history`: exports this cloud's requests as a workload for `cospot compare`."""
