"""Fetching tiers and their order. `base.py` defines the interface, `builders.py` lists all tiers."""
