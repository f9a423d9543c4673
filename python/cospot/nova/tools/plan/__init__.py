"""Applies a plan of `cospot plan` to Nova, and checks how it turns out."""
