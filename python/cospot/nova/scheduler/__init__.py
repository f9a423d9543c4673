"""The scheduler plugin: a filter that decides, and a weigher that keeps the order it decided on.

nova.conf names `cospot.nova.scheduler.filter.CospotFilter`, which must be the last filter, and
`cospot.nova.scheduler.weigher.CospotWeigher`, which must be the only weigher.
"""
