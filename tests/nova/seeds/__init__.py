"""A simulation by seed of the Nova plugin and its service: docs/nova/tested.md."""
