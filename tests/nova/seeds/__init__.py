"""A simulation by seed of the Nova plugin and its service: docs/nova/tested.md."""

#: The wall clock's time when a simulation begins, seconds since the epoch.
START = 1_780_000_000.0
