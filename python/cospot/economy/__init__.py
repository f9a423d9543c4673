"""Forecasts of slack for the Economy class, by statsmodels: ``pip install cospot[economy]``.

``cospot economy`` and the study ``economy`` run this package themselves and read what it writes.
"""
