"""A plan of `cospot plan` in Nova: its configuration, and how it turns out."""
