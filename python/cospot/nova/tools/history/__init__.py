"""`cospot-nova history`: what was asked of this cloud, as a workload for `cospot compare`."""
