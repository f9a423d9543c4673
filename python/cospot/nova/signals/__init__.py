"""Information about spots for their customers: eviction rates, expected uptime, risk.

`spot_lives` records past spots, `survival` estimates from them, `flavor_signals` combines the
estimates of a flavor, and `signals_file` is the file that `cospot-evictor` writes and `cospot-nova
signals` shows.
"""
