"""What is known of spots for their customers: eviction rates, expected uptime, risk.

`spot_lives` has the past of the spots, `survival` estimates from it, `flavor_signals` puts the
estimates of a flavor together, `signals_file` is the file that `cospot-evictor` writes and
`cospot-nova signals` shows.
"""
